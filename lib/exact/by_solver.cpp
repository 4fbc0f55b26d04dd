// SPDX-License-Identifier: Apache-2.0
#include "exact/by_solver.hpp"

#include <algorithm>
#include <limits>

#include "exact/scheduling_model.hpp"
#include "placement/orders.hpp"
#include "placement/sequential.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;

constexpr int kAnyPasses = std::numeric_limits<int>::max();
constexpr double kEnoughGap = 1e-4;  ///< closer to the least solution the solver need not come

/// Seconds of all tasks and transfers, one after the other, so that a step which fits in the memory is not left out.
double all_in_turn(const Step& step, const Cluster& cluster) {
  double seconds = 0, slowest_device = cluster.devices.front().speed;
  for (const Device& device : cluster.devices) slowest_device = std::min(slowest_device, device.speed);
  for (const Task& task : step.tasks) seconds += task.seconds / slowest_device + cluster.task_gap;
  for (const Tensor& tensor : step.tensors) {
    double slowest = cluster.link.seconds(tensor.bytes) + cluster.link.gap;
    for (const auto& [pair, link] : cluster.pairs) slowest = std::max(slowest, link.seconds(tensor.bytes) + link.gap);
    seconds += (cluster.size() - 1) * slowest;
  }
  return seconds;
}

double prove(Evaluator& evaluator, const Graph& graph, const Placement& start, const cpsat::Solver& solver,
             double effort) {
  greedy(evaluator, kahn(graph), start, kAnyPasses);
  const Cost known = evaluator.best_cost();
  const double most = known.excess > 0 ? all_in_turn(evaluator.step(), evaluator.cluster()) : known.seconds;
  if (most <= 0) return 0;
  const SchedulingModel model = scheduling_model(evaluator.step(), evaluator.cluster(), evaluator.best(), most);
  const cpsat::Answer answer = solver.solve(model.model, {.effort = effort, .gap = kEnoughGap});
  if (answer.is_impossible) return 0;
  if (!answer.values.empty() && !evaluator.is_spent())
    greedy(evaluator, kahn(graph), model.placement_of(answer.values), kAnyPasses);
  const Cost best = evaluator.best_cost();
  return best.excess > 0 ? 0 : std::min(answer.least * model.tick, best.seconds);
}

}  // namespace

Prover prover(const cpsat::Solver& solver, double effort) {
  return [&solver, effort](Evaluator& evaluator, const Graph& graph, const Placement& start) {
    return prove(evaluator, graph, start, solver, effort);
  };
}

}  // namespace dlrun::exact
