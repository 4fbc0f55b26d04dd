// SPDX-License-Identifier: Apache-2.0
#include "parallel/speed.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "parallel/streams.hpp"

namespace dlrun::parallel {

SlowPhases::SlowPhases(const Slowdown& slowdown, RandomStream random, double began)
    : slowdown_(slowdown), random_(random), began_(began) {
  for (extend(false); changes_.back() <= 0; changes_.erase(changes_.begin())) extend(begins_slow_ = !begins_slow_);
}

/// @param is_slow  state of the phase whose end is drawn
void SlowPhases::extend(bool is_slow) {
  last_ += exponential(random_, is_slow ? slowdown_.duration : slowdown_.every);
  changes_.push_back(last_ - began_);
}

SlowPhases::Phase SlowPhases::at(double time) {
  while (changes_.back() <= time) extend(begins_slow_ != (changes_.size() % 2 == 1));
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), time);
  return {begins_slow_ != ((next - changes_.begin()) % 2 == 1), *next};
}

Speed::Speed(const ClusterConfig& config, int rank, const Era& era) {
  for (const Pause& pause : config.pauses) {
    if (pause.rank == rank) pauses_.push_back({rank, pause.at - era.began, pause.duration});
  }
  std::sort(pauses_.begin(), pauses_.end(), [](const Pause& a, const Pause& b) { return a.at < b.at; });
  for (std::size_t i = 0; i < config.slowdowns.size(); ++i) {
    const Slowdown& one = config.slowdowns[i];
    if (one.rank && *one.rank != rank) continue;
    slow_.emplace_back(one, stream_of(era.seed, fmt::format("{}/{}", era.name, i), "slowdowns", rank), era.began);
  }
}

double Speed::computed(double from, double work) { return done(from, work, true); }

double Speed::worked(double from, double work) { return done(from, work, false); }

double Speed::awake(double time) const {
  for (const Pause& pause : pauses_) {
    if (time >= pause.at) time = std::max(time, pause.at + pause.duration);
  }
  return time;
}

/// REQUIRES: no pause at that time.
Speed::Stretch Speed::stretch(double time, bool is_gradient) {
  Stretch now{1, std::numeric_limits<double>::infinity()};
  const auto pause = std::find_if(pauses_.begin(), pauses_.end(), [&](const Pause& one) { return one.at > time; });
  if (pause != pauses_.end()) now.until = pause->at;
  for (SlowPhases& phases : slow_) {
    if (!is_gradient) break;
    const SlowPhases::Phase phase = phases.at(time);
    if (phase.is_slow) now.factor *= phases.factor();
    now.until = std::min(now.until, phase.until);
  }
  return now;
}

double Speed::done(double from, double work, bool is_gradient) {
  for (double time = awake(from);;) {
    const Stretch now = stretch(time, is_gradient);
    if (work * now.factor <= now.until - time) return time + work * now.factor;
    work -= (now.until - time) / now.factor;
    time = awake(now.until);
  }
}

}  // namespace dlrun::parallel
