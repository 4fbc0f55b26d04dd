// SPDX-License-Identifier: Apache-2.0
// Longest ways through a graph.
#pragma once
#include <vector>

#include "placement/cluster.hpp"
#include "placement/graph.hpp"
#include "placement/tasks.hpp"

namespace dlrun::placement {

/// Seconds of the longest way from a node, itself included, to the end of the graph, forward and backward.
std::vector<double> ways_to_end(const Graph& graph);

/// Seconds of the longest way from each task, itself included, to the end of the step, with the mean times of devices
/// and transfers (the upward rank of Topcuoglu et al. 2002).
std::vector<double> upward_ranks(const Step& step, const Cluster& cluster);

/// Nodes on the way with the most of them.
int depth_of(const Graph& graph);

}  // namespace dlrun::placement
