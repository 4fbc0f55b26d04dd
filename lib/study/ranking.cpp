// SPDX-License-Identifier: Apache-2.0
#include "study/ranking.hpp"

#include <algorithm>

#include "pareto/fronts.hpp"
#include "study/objective.hpp"

namespace dlrun::study {

std::vector<double> Ranking::further_costs(trial::TrialId id) const {
  std::vector<double> costs;
  costs.reserve(rules_.further.size());
  for (std::size_t i = 0; i < rules_.further.size(); ++i)
    costs.push_back(cost_of(rules_.further[i], trials_.extras(id)[i]));
  return costs;
}

std::vector<double> Ranking::excess(trial::TrialId id) const {
  std::vector<double> excess;
  excess.reserve(rules_.bounds.size());
  const auto bounded = trials_.extras(id).subspan(rules_.further.size());
  for (std::size_t i = 0; i < rules_.bounds.size(); ++i) excess.push_back(excess_of(rules_.bounds[i], bounded[i]));
  return excess;
}

pareto::Score Ranking::score_of(trial::TrialId id) const {
  pareto::Score score{{cost_of(rules_.objective, trials_[id].objective)}, 0};
  for (const double cost : further_costs(id)) score.values.push_back(cost);
  for (const double e : excess(id)) score.violation += std::max(0.0, e);
  return score;
}

bool Ranking::meets_target(trial::TrialId id) const {
  const double value = trials_[id].objective;
  const bool is_good = rules_.limits.target && !is_better(rules_.objective, *rules_.limits.target, value);
  return is_good && !(score_of(id).violation > 0);
}

void Ranking::note_completed(trial::TrialId id) {
  const Contender trial = contender(id);
  if (!may_be_best(trial)) return;
  if (!best_completed_.exists() || ranks_before(trial, contender(best_completed_))) best_completed_ = id;
  completed_.emplace_back(id);
}

std::optional<trial::TrialId> Ranking::best() const {
  if (best_completed_.exists()) return best_completed_;
  std::optional<Contender> best;
  for (std::int64_t i = 0; i < trials_.size(); ++i) {
    if (!trials_[trial::TrialId(i)].value()) continue;
    Contender next = contender(trial::TrialId(i));
    if (may_be_best(next) && (!best || ranks_before(next, *best))) best = std::move(next);
  }
  return best ? std::optional(best->id) : std::nullopt;
}

std::vector<trial::TrialId> Ranking::front() const {
  std::vector<pareto::Score> scores;
  scores.reserve(completed_.size());
  for (const trial::TrialId id : completed_) scores.push_back(score_of(id));
  std::vector<trial::TrialId> front;
  for (const std::size_t i : pareto::front_of(scores)) front.push_back(completed_[i]);
  std::sort(front.begin(), front.end());
  front.erase(std::unique(front.begin(), front.end()), front.end());
  return front;
}

}  // namespace dlrun::study
