// SPDX-License-Identifier: Apache-2.0
// The least seconds of a step, asked for by ceilings that grow.
#pragma once
#include "cpsat/solver.hpp"
#include "exact/scheduling_model.hpp"
#include "placement/exact.hpp"

namespace dlrun::exact {

/// Asks CP-SAT for steps below one ceiling after the other. Where there is none the solver is quick to say so, and
/// where there is one it has less to look through than below a step that is known. The first ceiling is a little above
/// what is expected, so a wrong expectation costs effort, and the bound stays the same. Several
/// placements may be within the bound's gap, and which one is found can differ.
class Ladder {
 public:
  /// All must outlive the ladder. @param effort  the most units of the solver's own clock, for all ceilings together
  Ladder(placement::Evaluator& evaluator, const placement::Graph& graph, const cpsat::Solver& solver, double effort);

  /// Improves the evaluator's best placement, too.
  /// @param expected  seconds of the best step, as someone guesses; > 0
  /// @param most      seconds that are known to be enough; > 0
  placement::Proof climb(double expected, double most);

 private:
  /// Whether no step takes so few seconds.
  bool is_too_low(double ceiling);
  /// By the solver's schedule, and by single moves from its placement.
  void improve(const SchedulingModel& model, const std::vector<std::int64_t>& values);

  placement::Evaluator& evaluator_;
  const placement::Graph& graph_;
  const cpsat::Solver& solver_;
  double left_;  ///< effort
  placement::Proof proof_;
};

}  // namespace dlrun::exact
