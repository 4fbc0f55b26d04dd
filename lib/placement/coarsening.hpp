// SPDX-License-Identifier: Apache-2.0
// A graph with fewer nodes, each of which stands for several.
#pragma once
#include "placement/graph.hpp"
#include "placement/simulator.hpp"

namespace dlrun::placement {

struct Coarse {
  Graph graph;
  std::vector<int> node_of;  ///< for each node of the fine graph the coarse one that it is part of

  /// The placement of the fine graph.
  Placement expanded(const Placement& placement) const;
};

/// Merges nodes until `most` are left. First along chains: a node with one reader and that reader, if it reads nothing
/// else. Then in rounds the pairs whose edge carries most bytes, each node at most once in a round, as long as no
/// other way leads from one to the other, so that the graph stays free of cycles. Last, where no edge is left, the two
/// nodes with least work. A coarse node takes the seconds of its parts, and puts out at once what others read of them.
/// Coarse nodes with parts of one group are a group. REQUIRES: most >= 1.
Coarse coarsened(const Graph& graph, int most);

}  // namespace dlrun::placement
