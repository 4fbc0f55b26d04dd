// SPDX-License-Identifier: Apache-2.0
// Sequential placers: they decide node after node, along a traversal order.
#pragma once
#include "placement/evaluator.hpp"
#include "placement/orders.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

/// Along the order each node gets the device with the lowest cost, all others as they are. Passes are repeated until
/// one gains nothing, `passes` are done, or the evaluator is spent; the result is never worse than the start.
Placement greedy(Evaluator& evaluator, const Order& order, Placement start, int passes);

/// Episodes that begin with the best placement so far: along the order each node gets a device at random, and each
/// placement on the way counts. What Placeto's program (Addanki et al. 2019) does while its policy is close to uniform.
/// @return the best placement that was visited, the start among them
Placement uniform_walk(Evaluator& evaluator, const Order& order, const Placement& start, int episodes,
                       RandomStream& chance);

}  // namespace dlrun::placement
