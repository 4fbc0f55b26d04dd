// SPDX-License-Identifier: Apache-2.0
// The split with the highest throughput by CP-SAT.
#pragma once
#include "cpsat/solver.hpp"
#include "placement/pipeline.hpp"

namespace dlrun::exact {

struct ProvenSplit {
  placement::Split split;
  double bound = 0;  ///< seconds; no split's largest load is less
};

/// The least largest load, from a split that is known; classes need not be neighbours in any order.
/// REQUIRES: `known` fits in the memory.
ProvenSplit best_split(const placement::Workload& work, const placement::Split& known, const cpsat::Solver& solver,
                       const cpsat::Limits& limits);

}  // namespace dlrun::exact
