// SPDX-License-Identifier: Apache-2.0
// Shapes, tensors and operation counts for a plan, node by node in topological order.
#pragma once
#include <vector>

#include "model/expand.hpp"
#include "model/faults.hpp"

namespace dlrun::model {

/// Nodes with their shapes. After a fault a node's shape is guessed where that makes sense; nodes behind an unknown
/// shape are not judged, so that one fault is one message.
std::vector<Node> infer(const Plan& plan, const Interface& interface, Faults& faults);

}  // namespace dlrun::model
