// SPDX-License-Identifier: Apache-2.0
// The best placement, with a proof of how good it is.
#pragma once
#include "cpsat/solver.hpp"
#include "placement/evaluator.hpp"
#include "placement/graph.hpp"

namespace dlrun::placement {

/// Means of an exact placer.
struct Effort {
  const cpsat::Solver* solver = nullptr;  ///< nullptr: there is none
  double most = 0;                        ///< units of the solver's own clock
};

/// Graphs of up to kMostBranchedNodes nodes by branching, others by constraint programming (scheduling_model.hpp) from
/// `start`, and then by single moves along an order.
/// @return seconds that no placement beats in the simulator; 0: nothing is proven
/// @throws Error(usage) where a graph is too large for branching and there is no solver
double find_exact(Evaluator& evaluator, const Graph& graph, const Placement& start, const Effort& effort);

}  // namespace dlrun::placement
