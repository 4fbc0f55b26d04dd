// SPDX-License-Identifier: Apache-2.0
#include "placement/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "placement/branching.hpp"
#include "placement/sequential.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr int kAnyPasses = std::numeric_limits<int>::max();
constexpr std::int64_t kMostGreedyTries = 20'000;

}  // namespace

Proof find_exact(Evaluator& evaluator, const Graph& graph, const Placement& start, const Prover& prover) {
  if (graph.size() > kMostBranchedNodes) {
    if (prover) return prover(evaluator, graph, start);
    throw Error(ErrorKind::usage,
                fmt::format("exact places {} nodes here at most, not {}", kMostBranchedNodes, graph.size()),
                "dlrun place --placer exact places more, with the solver CP-SAT");
  }
  evaluator.cost(start);
  evaluator.allow(std::max(evaluator.left(), kMostBranchedTries));
  if (try_all(evaluator)) return {evaluator.best_cost().seconds};
  evaluator.allow(kMostGreedyTries);
  greedy(evaluator, kahn(graph), Placement(evaluator.best()), kAnyPasses);
  return {.is_spent = true};
}

}  // namespace dlrun::placement
