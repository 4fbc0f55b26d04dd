// SPDX-License-Identifier: Apache-2.0
#include "exact/by_solver.hpp"

#include <algorithm>
#include <limits>

#include "exact/ladder.hpp"
#include "placement/bounds.hpp"
#include "placement/orders.hpp"
#include "placement/sequential.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;

constexpr int kAnyPasses = std::numeric_limits<int>::max();

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

/// Seconds to begin with: no guess below what can be seen without the solver.
double first_guess(const Search& search, const Evaluator& evaluator, const Graph& graph, double most) {
  if (search.expected <= 0) return most;
  return std::max(search.expected, bounds_of(graph, evaluator.cluster(), evaluator.step().trains()).most());
}

Proof prove(Evaluator& evaluator, const Graph& graph, const Placement& start, const cpsat::Solver& solver,
            const Search& search) {
  greedy(evaluator, kahn(graph), start, kAnyPasses);
  const Cost known = evaluator.best_cost();
  const double most = known.excess > 0 ? all_in_turn(evaluator.step(), evaluator.cluster()) : known.seconds;
  if (most <= 0) return {};
  Proof proof =
      Ladder(evaluator, graph, solver, search.effort).climb(first_guess(search, evaluator, graph, most), most);
  const Cost best = evaluator.best_cost();
  proof.seconds = best.excess > 0 ? 0 : std::min(proof.seconds, best.seconds);
  return proof;
}

}  // namespace

Prover prover(const cpsat::Solver& solver, const Search& search) {
  return [&solver, search](Evaluator& evaluator, const Graph& graph, const Placement& start) {
    return prove(evaluator, graph, start, solver, search);
  };
}

}  // namespace dlrun::exact
