// SPDX-License-Identifier: Apache-2.0
// Simulated annealing of a placement.
#pragma once
#include "placement/evaluator.hpp"
#include "placement/orders.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

/// Half of the moves give one node another device, a quarter a run of the order, a quarter a node with its nearest
/// readers. A worse placement is taken with probability exp(-loss / t), t from 1 % of the start's seconds to a
/// thousandth of that.
/// @return the best placement that was visited, the start among them
Placement anneal(Evaluator& evaluator, const Graph& graph, const Order& order, Placement start, std::int64_t moves,
                 RandomStream& chance);

}  // namespace dlrun::placement
