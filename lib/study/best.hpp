// SPDX-License-Identifier: Apache-2.0
// Rule for the best trial (docs/objectives.md). The study, its store and its reports rank by this code; the
// view v_best is the same rule in SQL, and tests/unit/report/best_test.cpp compares them.
#pragma once
#include <cstddef>
#include <vector>

#include "pareto/score.hpp"
#include "trial/trial.hpp"

namespace dlrun::study {

/// Trial with an objective, as the rule sees it.
struct Contender {
  trial::TrialId id;
  trial::TrialState state = trial::TrialState::waiting;
  pareto::Score score;  ///< by all objectives, in their order; lower is better, whatever the directions
};

/// May the trial be called the best? Failed, cancelled and infeasible trials may not.
bool may_be_best(const Contender& trial);

/// Is `a` the better one? Completed trials come before all others. Then the first objective decides, then the next one,
/// then the lower number. REQUIRES: both may be the best.
bool ranks_before(const Contender& a, const Contender& b);

/// The first `most` trials of those that may be called the best, best first: the completed ones; while there is none,
/// the others.
/// @param measured  all trials that have an objective, in any order
std::vector<Contender> best_first(std::vector<Contender> measured, std::size_t most);

}  // namespace dlrun::study
