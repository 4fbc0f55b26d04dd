// SPDX-License-Identifier: Apache-2.0
#include "pruners/front_asha_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pareto/fronts.hpp"
#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

FrontAshaPruner::FrontAshaPruner(const Ladder& ladder)
    : eta_(static_cast<std::size_t>(ladder.eta)),
      budgets_(geometric_rungs(ladder, Asha::kName)),
      rungs_(budgets_.size() - 1) {}

std::vector<double> FrontAshaPruner::shares() const {
  return geometric_shares(budgets_.size(), static_cast<int>(eta_));
}

void FrontAshaPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  on_score(trial, rung, value ? std::optional(pareto::Score{{*value}, 0}) : std::nullopt);
}

void FrontAshaPruner::on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
  if (static_cast<std::size_t>(rung) >= rungs_.size()) return;
  Rung& here = rungs_[static_cast<std::size_t>(rung)];
  here.scores[trial] = is_usable(score) ? score : std::nullopt;
  here.is_stale = true;
}

const std::vector<trial::TrialId>& FrontAshaPruner::best_of(const Rung& rung) const {
  if (!rung.is_stale) return rung.best;
  std::vector<trial::TrialId> trials;
  std::vector<pareto::Score> scores;
  for (const auto& [trial, score] : rung.scores) {
    if (!score) continue;
    trials.push_back(trial);
    scores.push_back(*score);
  }
  rung.best.clear();
  for (const std::size_t i : pareto::order_of(scores)) {
    if (rung.best.size() < rung.scores.size() / eta_) rung.best.push_back(trials[i]);
  }
  rung.is_stale = false;
  return rung.best;
}

bool FrontAshaPruner::may_go_on(const Rung& rung, trial::TrialId trial) const {
  return !rung.promoted.contains(trial) && !gone_.contains(trial);
}

std::optional<Promotion> FrontAshaPruner::next() const {
  for (std::size_t k = rungs_.size(); k-- > 0;) {
    const auto& best = best_of(rungs_[k]);
    const auto found = std::find_if(best.begin(), best.end(), [&](auto trial) { return may_go_on(rungs_[k], trial); });
    if (found == best.end()) continue;
    return Promotion{
        *found, static_cast<int>(k),
        fmt::format("rung {}: among the first {} of {} by fronts", k, best.size(), rungs_[k].scores.size())};
  }
  return std::nullopt;
}

void FrontAshaPruner::claim(trial::TrialId trial, int rung) {
  const bool is_rung = rung >= 0 && static_cast<std::size_t>(rung) < rungs_.size();
  if (is_rung) {
    Rung& here = rungs_[static_cast<std::size_t>(rung)];
    const auto& best = best_of(here);
    const bool is_best = std::find(best.begin(), best.end(), trial) != best.end();
    if (is_best && may_go_on(here, trial)) {
      here.promoted.insert(trial);
      return;
    }
  }
  throw Error(ErrorKind::store, fmt::format("trial {} cannot go on from rung {}", trial.value, rung));
}

}  // namespace dlrun::pruners
