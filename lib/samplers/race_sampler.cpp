// SPDX-License-Identifier: Apache-2.0
#include "samplers/race_sampler.hpp"

#include <fmt/format.h>

namespace dlrun::samplers {

RaceSampler::RaceSampler(const space::Space& space, RaceOptions options)
    : options_(std::move(options)), cells_(space, options_.replicate, options_.variant) {
  options_.rules.maximize = false;  // observations are costs
}

void RaceSampler::on_start(trial::TrialId id, const space::Values& values) {
  trials_.emplace(cells_.of(values), id);
  cells_.on_start(values);
}

std::optional<Cell> RaceSampler::next(const statistics::Race& now) const {
  for (const std::size_t variant : now.open) {
    const Cell cell{std::size_t(now.rounds), variant};
    if (!cells_.is_started(cell)) return cell;
  }
  return std::nullopt;
}

std::optional<space::Values> RaceSampler::propose(std::int64_t) {
  const statistics::Race now = statistics::race(options_.rules, cells_.seen());
  const auto cell = next(now);
  if (now.open.empty()) {
    reason_ = fmt::format("the race is over after {} replicate{}: {}", now.rounds, now.rounds == 1 ? "" : "s", now.end);
  } else {
    reason_ = fmt::format("replicate {}{} {} of {} variants are in the race", now.rounds + 1,
                          cell ? ":" : " is under way:", now.open.size(), cells_.variants());
  }
  return cell ? std::optional(cells_.values_of(*cell)) : std::nullopt;
}

std::vector<trial::TrialId> RaceSampler::chosen_trials() const {
  const auto leader = statistics::race(options_.rules, cells_.seen()).leader;
  std::vector<trial::TrialId> out;
  for (const auto& [cell, trial] : trials_) {
    const auto& seen = cells_.seen()[cell.variant][cell.replicate];
    if (cell.variant == leader && seen && *seen) out.push_back(trial);
  }
  return out;
}

}  // namespace dlrun::samplers
