// SPDX-License-Identifier: Apache-2.0
// A placement as a file.
#pragma once
#include <string>
#include <vector>

#include "placement/portfolio.hpp"

namespace dlrun::cli {

/// Names of the nodes that each device computes forward, or backward, in its order; none where it has no turns.
std::vector<std::vector<std::string>> names_in_turn(const placement::Graph& graph, const placement::Turns& turns,
                                                    bool is_backward);

/// JSON, format dlrun-placement-1: the device of each node by name, the predicted seconds, how it was found, and
/// what each device computes in which order, if not whatever could begin first and the step trains.
std::string placement_text(const placement::Graph& graph, const placement::Cluster& cluster,
                           const placement::Found& found, bool trains);

}  // namespace dlrun::cli
