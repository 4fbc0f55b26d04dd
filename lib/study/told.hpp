// SPDX-License-Identifier: Apache-2.0
// Memory of all that a sampler was told in this study, in order: 24 bytes a line, for studies of 100,000 trials.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "samplers/sampler.hpp"

namespace dlrun::study {

class Told {
 public:
  /// Trials of an earlier study, before the first trial of this one.
  void learn(const std::vector<samplers::Observation>& trials) { lessons_.push_back(trials); }
  void start(trial::TrialId trial) { lines_.push_back({trial, kNone, -1}); }
  void result(const samplers::Observation& seen) {
    lines_.push_back({seen.trial, seen.objective.value_or(kNone), static_cast<std::int32_t>(seen.steps), seen.is_whole,
                      seen.objective.has_value()});
    if (!seen.objective) return;
    further_ = seen.further.size();
    numbers_.insert(numbers_.end(), seen.further.begin(), seen.further.end());
    bounds_ = seen.excess.size();
    numbers_.insert(numbers_.end(), seen.excess.begin(), seen.excess.end());
  }

  const std::vector<std::vector<samplers::Observation>>& lessons() const { return lessons_; }
  /// Parameters were added to the space: they are unset in the points of earlier studies.
  void widen(std::size_t parameters) {
    for (auto& lesson : lessons_) {
      for (samplers::Observation& seen : lesson) seen.values.resize(std::max(seen.values.size(), parameters));
    }
  }

  /// Repeats everything but the lessons, in order: start(trial), and result(observation without its values).
  template <class Start, class Result>
  void repeat(Start start, Result result) const {
    auto number = numbers_.begin();
    const auto next = [&](std::size_t count) {
      number += static_cast<std::ptrdiff_t>(count);
      return std::vector<double>(number - static_cast<std::ptrdiff_t>(count), number);
    };
    for (const Line& line : lines_) {
      if (line.steps < 0) {
        start(line.trial);
        continue;
      }
      samplers::Observation seen{line.trial, {}, std::nullopt, line.steps, line.is_whole};
      if (line.has_value) {
        seen.objective = line.objective;
        seen.further = next(further_);
        seen.excess = next(bounds_);
      }
      result(std::move(seen));
    }
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  struct Line {
    trial::TrialId trial;
    double objective = kNone;  ///< lower is better
    std::int32_t steps = -1;   ///< negative: the line is a trial's start
    bool is_whole = false;
    bool has_value = false;
  };
  std::vector<std::vector<samplers::Observation>> lessons_;
  std::vector<Line> lines_;
  std::vector<double> numbers_;  ///< further objectives and excesses of the lines with a value
  std::size_t further_ = 0, bounds_ = 0;
};

}  // namespace dlrun::study
