// SPDX-License-Identifier: Apache-2.0
// Trials by what they measured: their scores, the best of them, the front.
#pragma once
#include <optional>
#include <vector>

#include "pareto/score.hpp"
#include "study/best.hpp"
#include "study/trials.hpp"

namespace dlrun::study {

/// Computes scores from the records of trials as they stand, and remembers which trials have completed.
class Ranking {
 public:
  /// Rules and trials outlive this object, and may change.
  Ranking(const Rules& rules, const Trials& trials) : rules_(rules), trials_(trials) {}

  /// The other objectives of a trial; lower is better.
  std::vector<double> further_costs(trial::TrialId id) const;
  /// Distance of a trial beyond each bound.
  std::vector<double> excess(trial::TrialId id) const;
  /// Score by all objectives; lower is better, whatever the directions.
  pareto::Score score_of(trial::TrialId id) const;
  /// Is the trial as good as the limit `target`, and feasible?
  bool meets_target(trial::TrialId id) const;

  /// The trial has completed. REQUIRES: it has an objective.
  void note_completed(trial::TrialId id);
  /// The best trial by the rule of best.hpp; nullopt: none may be called the best.
  std::optional<trial::TrialId> best() const;
  /// Completed trials that no other one dominates, ascending.
  std::vector<trial::TrialId> front() const;

 private:
  Contender contender(trial::TrialId id) const { return {id, trials_[id].state, score_of(id)}; }

  const Rules& rules_;
  const Trials& trials_;
  trial::TrialId best_completed_;
  std::vector<trial::TrialId> completed_;  ///< completed and feasible trials
};

}  // namespace dlrun::study
