// SPDX-License-Identifier: Apache-2.0
#include "samplers/round_sampler.hpp"

#include <fmt/format.h>

namespace dlrun::samplers {

RoundSampler::RoundSampler(const space::Space& space, RoundOptions options)
    : options_(std::move(options)), cells_(space, options_.replicate, options_.variant) {
  options_.rules.maximize = false;  // observations are costs
}

std::optional<Cell> RoundSampler::next(const statistics::Stepwise& now) const {
  for (std::size_t r = 0; r < cells_.replicates(); ++r) {
    for (const statistics::OffSet set : now.open) {
      const Cell cell{r, options_.rules.variants.at(set)};
      if (!cells_.is_started(cell)) return cell;
    }
  }
  return std::nullopt;
}

std::optional<space::Values> RoundSampler::propose(std::int64_t) {
  const statistics::Stepwise now = statistics::stepwise(options_.rules, cells_.seen());
  const auto cell = next(now);
  const std::size_t round = now.steps.size() + 1;
  if (now.open.empty()) {
    reason_ = fmt::format("over after {} step{}: {}", round - 1, round == 2 ? "" : "s", now.end);
  } else {
    reason_ = cell ? fmt::format("round {}: replicate {} of {}", round, cell->replicate + 1, cells_.replicates())
                   : fmt::format("round {} waits for its cells", round);
  }
  if (!cell) return std::nullopt;
  return cells_.values_of(*cell);
}

}  // namespace dlrun::samplers
