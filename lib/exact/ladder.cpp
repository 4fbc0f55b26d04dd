// SPDX-License-Identifier: Apache-2.0
#include "exact/ladder.hpp"

#include <algorithm>
#include <limits>

#include "exact/solver_turns.hpp"
#include "placement/orders.hpp"
#include "placement/sequential.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;

constexpr double kEnoughGap = 1e-4;    ///< closer to the least solution the solver need not come
constexpr double kFirstMargin = 0.02;  ///< share of what is expected by which the first ceiling is above it
constexpr double kGrowth = 2;          ///< factor of the margin from a ceiling to the next
constexpr double kLeastEffort = 1e-3;  ///< a ceiling counts at least so much, so that they end

}  // namespace

Ladder::Ladder(Evaluator& evaluator, const Graph& graph, const cpsat::Solver& solver, double effort)
    : evaluator_(evaluator), graph_(graph), solver_(solver), left_(effort) {}

Proof Ladder::climb(double expected, double most) {
  double margin = kFirstMargin, ceiling = expected * (1 + margin);
  while (left_ > 0 && ceiling < most && is_too_low(ceiling)) ceiling *= 1 + (margin *= kGrowth);
  if (left_ > 0 && ceiling >= most) is_too_low(most);
  return proof_;
}

bool Ladder::is_too_low(double ceiling) {
  const SchedulingModel model = scheduling_model(evaluator_.step(), evaluator_.cluster(), evaluator_.best(), ceiling,
                                                 proof_.seconds, evaluator_.best_turns());
  const cpsat::Answer answer = solver_.solve(model.model, {.effort = left_, .gap = kEnoughGap});
  left_ -= std::max(answer.effort, kLeastEffort);
  proof_.is_by_solver = true;
  proof_.effort += answer.effort;
  proof_.branches += answer.branches;
  proof_.seconds = answer.is_impossible ? ceiling : std::max(proof_.seconds, answer.least * model.tick);
  if (!answer.values.empty()) improve(model, answer.values);
  return answer.is_impossible;
}

void Ladder::improve(const SchedulingModel& model, const std::vector<std::int64_t>& values) {
  const Placement found = model.placement_of(values);
  evaluator_.cost(found, turns_of(model, evaluator_.step(), evaluator_.cluster(), values));
  if (!evaluator_.is_spent()) greedy(evaluator_, kahn(graph_), found, std::numeric_limits<int>::max());
}

}  // namespace dlrun::exact
