// SPDX-License-Identifier: Apache-2.0
#include "pruners/front_stopping_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pareto/fronts.hpp"
#include "pruners/ladder.hpp"

namespace dlrun::pruners {

FrontStoppingPruner::FrontStoppingPruner(const Ladder& ladder, bool maximize)
    : StoppingPruner(geometric_rungs(ladder, Asha::kName), maximize), eta_(ladder.eta), rungs_(rungs().size()) {}

std::vector<double> FrontStoppingPruner::shares() const { return geometric_shares(rungs_.size(), eta_); }

void FrontStoppingPruner::on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
  const bool is_good = is_usable(score);
  if (is_good) told_ = *score;
  on_value(trial, rung, is_good ? std::optional(score->values[0]) : std::nullopt);
}

StoppingPruner::Verdict FrontStoppingPruner::judge(trial::TrialId trial, int rung, double value) {
  Rung& here = rungs_[static_cast<std::size_t>(rung)];
  const bool is_told = !told_.values.empty() && told_.values[0] == value;
  here[trial] = is_told ? told_ : pareto::Score{{value}, 0};
  std::vector<trial::TrialId> trials;
  std::vector<pareto::Score> scores;
  for (const auto& [other, score] : here) {
    if (!score) continue;
    trials.push_back(other);
    scores.push_back(*score);
  }
  const std::size_t going = here.size() / static_cast<std::size_t>(eta_);
  if (going == 0) return {true, fmt::format("{} seen so far, fewer than eta, {}", here.size(), eta_)};
  const auto order = pareto::order_of(scores);
  const auto own = std::find_if(order.begin(), order.end(), [&](std::size_t i) { return trials[i] == trial; });
  const auto place = static_cast<std::size_t>(own - order.begin()) + 1;
  return {place <= going,
          fmt::format("number {} of {} by fronts, of which the first {} go on", place, here.size(), going)};
}

void FrontStoppingPruner::note_failed(trial::TrialId trial, int rung) {
  rungs_[static_cast<std::size_t>(rung)][trial] = std::nullopt;
}

}  // namespace dlrun::pruners
