// SPDX-License-Identifier: Apache-2.0
#include "samplers/round_sampler.hpp"

#include <fmt/format.h>

namespace dlrun::samplers {

RoundSampler::RoundSampler(const space::Space& space, RoundOptions options)
    : space_(space),
      options_(std::move(options)),
      seen_(std::size_t(*space.count(options_.variant)),
            statistics::SeenCells(std::size_t(*space.count(options_.replicate)))) {
  options_.rules.maximize = false;  // observations are costs
}

RoundSampler::Cell RoundSampler::cell_of(const space::Values& values) const {
  const auto number = [&](std::size_t axis) { return std::size_t(space_.index_of(axis, values[axis])); };
  return {number(options_.replicate), number(options_.variant)};
}

space::Values RoundSampler::values_of(const Cell& cell) const {
  space::Values values;
  for (std::size_t i = 0; i < space_.size(); ++i) values.push_back(space_.value_at(i, 0));
  values[options_.replicate] = space_.value_at(options_.replicate, std::int64_t(cell.replicate));
  values[options_.variant] = space_.value_at(options_.variant, std::int64_t(cell.variant));
  return values;
}

void RoundSampler::on_start(trial::TrialId, const space::Values& values) { started_.insert(cell_of(values)); }

void RoundSampler::on_result(const Observation& seen) {
  if (!seen.is_whole && seen.objective) return;
  const Cell cell = cell_of(seen.values);
  seen_[cell.variant][cell.replicate] = seen.objective;
}

std::optional<RoundSampler::Cell> RoundSampler::next(const statistics::Stepwise& now) const {
  const std::size_t replicates = seen_.empty() ? 0 : seen_.front().size();
  for (std::size_t r = 0; r < replicates; ++r) {
    for (const statistics::OffSet set : now.open) {
      const Cell cell{r, options_.rules.variants.at(set)};
      if (!started_.contains(cell)) return cell;
    }
  }
  return std::nullopt;
}

std::optional<space::Values> RoundSampler::propose(std::int64_t) {
  const statistics::Stepwise now = statistics::stepwise(options_.rules, seen_);
  const auto cell = next(now);
  const std::size_t round = now.steps.size() + 1;
  if (now.open.empty()) {
    reason_ = fmt::format("over after {} step{}: {}", round - 1, round == 2 ? "" : "s", now.end);
  } else {
    reason_ = cell ? fmt::format("round {}: replicate {} of {}", round, cell->replicate + 1, seen_.front().size())
                   : fmt::format("round {} waits for its cells", round);
  }
  if (!cell) return std::nullopt;
  return values_of(*cell);
}

}  // namespace dlrun::samplers
