// SPDX-License-Identifier: Apache-2.0
// Numbers about a graph by which an order is chosen.
#pragma once
#include "placement/cluster.hpp"
#include "placement/graph.hpp"

namespace dlrun::placement {

struct Features {
  int nodes = 0, sources = 0;
  int widest_fan_out = 0;     ///< readers of the node that has most
  double parallelism = 0;     ///< all work over the longest way; 1: a chain
  double transfer_share = 0;  ///< seconds to send every output once in each pass, over all work of the passes
  double skip_share = 0;      ///< edges that lead further than to the next generation
  double depth_share = 0;     ///< nodes of the longest way, of all
};

/// @param trains  a step goes forward and backward
Features features_of(const Graph& graph, const Cluster& cluster, bool trains);

}  // namespace dlrun::placement
