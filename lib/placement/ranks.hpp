// SPDX-License-Identifier: Apache-2.0
// Longest ways through a graph.
#pragma once
#include <vector>

#include "placement/graph.hpp"

namespace dlrun::placement {

/// Seconds of the longest way from a node, itself included, to the end of the graph, forward and backward.
std::vector<double> ways_to_end(const Graph& graph);

/// Nodes on the way with the most of them.
int depth_of(const Graph& graph);

}  // namespace dlrun::placement
