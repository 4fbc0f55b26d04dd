// SPDX-License-Identifier: Apache-2.0
#include "placement/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cpsat/library.hpp"
#include "placement/branching.hpp"
#include "placement/orders.hpp"
#include "placement/scheduling_model.hpp"
#include "placement/sequential.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr int kAnyPasses = std::numeric_limits<int>::max();
constexpr double kEnoughGap = 1e-4;  ///< closer to the least solution the solver need not come

double by_branching(Evaluator& evaluator, const Placement& start) {
  evaluator.cost(start);
  return try_all(evaluator) ? evaluator.best_cost().seconds : 0;
}

/// Seconds of all tasks and transfers, one after the other, so that a step which fits in the memory is not left out.
double all_in_turn(const Step& step, const Cluster& cluster) {
  double seconds = 0;
  for (const Task& task : step.tasks) seconds += task.seconds + cluster.task_gap;
  for (const Tensor& tensor : step.tensors)
    seconds += (cluster.size() - 1) *
               (cluster.link.latency + cluster.link.gap + double(tensor.bytes) / cluster.link.bandwidth);
  return seconds;
}

double by_solver(Evaluator& evaluator, const Graph& graph, const Placement& start, const Effort& effort) {
  greedy(evaluator, kahn(graph), start, kAnyPasses);
  const Cost known = evaluator.best_cost();
  const double most = known.excess > 0 ? all_in_turn(evaluator.step(), evaluator.cluster()) : known.seconds;
  if (most <= 0) return 0;
  const SchedulingModel model = scheduling_model(evaluator.step(), evaluator.cluster(), evaluator.best(), most);
  const cpsat::Answer answer = effort.solver->solve(model.model, {.effort = effort.most, .gap = kEnoughGap});
  if (answer.is_impossible) return 0;
  if (!answer.values.empty() && !evaluator.is_spent())
    greedy(evaluator, kahn(graph), model.placement_of(answer.values), kAnyPasses);
  const Cost best = evaluator.best_cost();
  return best.excess > 0 ? 0 : std::min(answer.least * model.tick, best.seconds);
}

}  // namespace

double find_exact(Evaluator& evaluator, const Graph& graph, const Placement& start, const Effort& effort) {
  if (graph.size() <= kMostBranchedNodes) return by_branching(evaluator, start);
  if (effort.solver != nullptr) return by_solver(evaluator, graph, start, effort);
  throw Error(ErrorKind::usage,
              fmt::format("exact places {} nodes by itself, and {} only with the solver CP-SAT, which is not there",
                          kMostBranchedNodes, graph.size()),
              cpsat::install_hint());
}

}  // namespace dlrun::placement
