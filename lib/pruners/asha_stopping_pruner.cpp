// SPDX-License-Identifier: Apache-2.0
#include "pruners/asha_stopping_pruner.hpp"

#include <fmt/format.h>

#include "pruners/ladder.hpp"

namespace dlrun::pruners {

AshaStoppingPruner::AshaStoppingPruner(const Ladder& ladder, bool maximize)
    : StoppingPruner(geometric_rungs(ladder, Asha::kName), maximize), eta_(ladder.eta), rungs_(rungs().size()) {}

std::vector<double> AshaStoppingPruner::shares() const { return geometric_shares(rungs_.size(), eta_); }

StoppingPruner::Verdict AshaStoppingPruner::judge(trial::TrialId trial, int rung, double value) {
  Rung& here = rungs_[static_cast<std::size_t>(rung)];
  if (here.failed.erase(trial) > 0) here.values.erase({Ranking::kFailed, trial});
  here.values.insert({value, trial});
  const std::size_t seen = here.values.size();
  const std::size_t going = seen / static_cast<std::size_t>(eta_);
  if (going == 0) return {true, fmt::format("{} seen so far, fewer than eta, {}", seen, eta_)};
  const std::size_t place = here.values.rank_of({value, trial}) + 1;
  return {place <= going, fmt::format("number {} of {}, of which the best {} go on", place, seen, going)};
}

void AshaStoppingPruner::note_failed(trial::TrialId trial, int rung) {
  Rung& here = rungs_[static_cast<std::size_t>(rung)];
  if (here.failed.insert(trial).second) here.values.insert({Ranking::kFailed, trial});
}

}  // namespace dlrun::pruners
