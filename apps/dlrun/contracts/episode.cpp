// SPDX-License-Identifier: Apache-2.0
#include "contracts/episode.hpp"

#include <fmt/format.h>

#include "contracts/contract.hpp"
#include "util/random.hpp"

namespace dlrun::cli {

namespace {

constexpr std::uint64_t kSeed = 11;

/// A bowl with its bottom at 0.3 of every parameter that is active.
double bowl(const space::Space& space, const space::Values& values, double bottom) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    const double distance = space.to_unit(i, values[i]) - bottom;
    sum += distance * distance;
  }
  return sum;
}

samplers::Observation result_of(const space::Space& space, const Start& start, const EpisodeOptions& options) {
  samplers::Observation seen{.trial = start.trial, .values = start.values, .objective = {}, .steps = 1};
  const bool has_failed = (start.trial.value + 1) % options.every_failed == 0;
  if (has_failed) return seen;
  seen.objective = bowl(space, start.values, 0.3);
  for (std::size_t i = 1; i < options.objectives; ++i) seen.further.push_back(bowl(space, start.values, 0.7));
  return seen;
}

Lessons lessons_of(const space::Space& space, const EpisodeOptions& options) {
  Lessons lessons;
  RandomStream random(kSeed, {"lessons"});
  const space::FeasibleDraw draw(space);
  for (int i = 0; i < options.lessons; ++i) {
    Start start{trial::TrialId(i), draw.draw(random)};
    if (i % 5 == 4) start.values[0] = space::Value();  // a parameter that the earlier study did not have
    lessons.push_back(result_of(space, start, options));
  }
  return lessons;
}

std::string text_of(const space::Space& space, const std::optional<space::Values>& values) {
  return values ? to_text(space.params(*values)) : "nothing";
}

}  // namespace

void tell(samplers::Sampler& sampler, const News& news) {
  if (const auto* lessons = std::get_if<Lessons>(&news)) sampler.learn(*lessons);
  if (const auto* start = std::get_if<Start>(&news)) sampler.on_start(start->trial, start->values);
  if (const auto* seen = std::get_if<samplers::Observation>(&news)) sampler.on_result(*seen);
}

Episode play(guest::GuestSampler& sampler, const space::Space& space, const EpisodeOptions& options, bool again) {
  Episode episode;
  const auto add = [&](News news) {
    tell(sampler, news);
    episode.news.push_back(std::move(news));
  };
  if (options.lessons > 0) add(lessons_of(space, options));
  std::vector<Start> pending;
  for (int i = 0; i < options.trials; ++i) {
    const std::int64_t number = 2 * i;  // other decisions take the numbers between
    Asked asked{number, episode.news.size(), sampler.propose(number), sampler.reason()};
    if (again && sampler.propose(number) != asked.values)
      throw Broken{
          fmt::format("proposal {} was {}, and another one when asked again", i, text_of(space, asked.values))};
    episode.asked.push_back(asked);
    if (!asked.values) break;
    pending.push_back({trial::TrialId(i), *asked.values});
    add(pending.back());
    if (pending.size() < std::size_t(options.pending)) continue;
    add(result_of(space, pending.front(), options));
    pending.erase(pending.begin());
  }
  return episode;
}

}  // namespace dlrun::cli
