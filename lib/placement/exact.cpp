// SPDX-License-Identifier: Apache-2.0
#include "placement/exact.hpp"

#include <fmt/format.h>

#include "placement/branching.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

Proof find_exact(Evaluator& evaluator, const Graph& graph, const Placement& start, const Prover& prover) {
  if (graph.size() > kMostBranchedNodes) {
    if (prover) return prover(evaluator, graph, start);
    throw Error(ErrorKind::usage,
                fmt::format("exact places {} nodes here at most, not {}", kMostBranchedNodes, graph.size()),
                "dlrun place --placer exact places more, with the solver CP-SAT");
  }
  evaluator.cost(start);
  return try_all(evaluator) ? Proof{evaluator.best_cost().seconds} : Proof{};
}

}  // namespace dlrun::placement
