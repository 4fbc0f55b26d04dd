// SPDX-License-Identifier: Apache-2.0
// The best placement, with a proof of how good it is.
#pragma once
#include <functional>

#include "placement/evaluator.hpp"
#include "placement/graph.hpp"

namespace dlrun::placement {

struct Proof {
  double seconds = 0;         ///< no placement beats them in the simulator; 0: nothing is proven
  bool is_by_solver = false;  ///< in whatever turns; else first come, first served
  double effort = 0;          ///< units of the solver's own clock that were spent
  std::int64_t branches = 0;  ///< the solver explored
  bool is_spent = false;      ///< branching ended before it had tried or ruled out every placement
};

/// Finds placements that are better than a start, and leaves the best to the evaluator.
using Prover = std::function<Proof(Evaluator& evaluator, const Graph& graph, const Placement& start)>;

/// Graphs of up to kMostBranchedNodes nodes by branching, others by the prover. Branching that tries too many
/// placements improves the best of them by single moves.
/// @return as a prover
/// @throws Error(usage) where a graph is too large for branching and there is no prover
Proof find_exact(Evaluator& evaluator, const Graph& graph, const Placement& start, const Prover& prover);

}  // namespace dlrun::placement
