// SPDX-License-Identifier: Apache-2.0
// A model as placers see it: layers with costs, and who reads whose output.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "util/json.hpp"

namespace dlrun::placement {

/// A layer or an operation. Seconds are those of one step.
struct Node {
  std::string name;
  std::string op;
  double forward = 0;            ///< seconds
  double backward = 0;           ///< seconds
  std::int64_t out_bytes = 0;    ///< size of the output, which all readers share
  std::int64_t param_bytes = 0;  ///< size of the parameters
  std::string group = {};        ///< nodes of one group stay together on a device; empty: alone
};

using Edge = std::pair<int, int>;  ///< producer and reader, by their place in `nodes`

/// Nodes in the order they were written, which traversal orders break ties by.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Edge> edges;

  int size() const { return int(nodes.size()); }
};

using Lists = std::vector<std::vector<int>>;

/// Readers of each node, in the order of the edges.
Lists children_of(const Graph& graph);
/// Producers that each node reads, in the order of the edges.
Lists parents_of(const Graph& graph);

/// For each node the first of its group; a node that stands alone is the first of its own.
std::vector<int> leaders_of(const Graph& graph);

/// Reads the format dlrun-graph-1: `nodes` are rows of `node_columns` (name, op, fwd_us, bwd_us, out_bytes,
/// param_bytes; microseconds; group, which may be left out), `edges` pairs of row numbers. Rows whose op begins with
/// "Input" cost nothing: profiles have the loading of data there.
/// @throws Error(usage) for a graph without nodes, with a cycle, a name that stands twice, a negative or missing
/// number,
///         or an edge to a row that there is not; the message names the row
Graph read_graph(const Json& json);

}  // namespace dlrun::placement
