// SPDX-License-Identifier: Apache-2.0
// Small graphs.
#pragma once
#include "placement/graph.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

inline int node_named(const Graph& graph, char name) {
  for (int i = 0; i < graph.size(); ++i) {
    if (graph.nodes[std::size_t(i)].name == std::string(1, name)) return i;
  }
  return -1;
}

/// Nodes "a", "b", … of one second forward and two backward, with edges such as "ab".
inline Graph graph_of(const std::string& names, const std::vector<std::string>& edges) {
  Graph graph;
  for (const char name : names) graph.nodes.push_back({std::string(1, name), "linear", 1, 2, 0, 0});
  for (const std::string& edge : edges)
    graph.edges.emplace_back(node_named(graph, edge[0]), node_named(graph, edge[1]));
  return graph;
}

/// Edges go from earlier nodes to later ones.
inline Graph random_graph(int nodes, double density, std::uint64_t seed) {
  RandomStream chance(seed, {"graph"});
  Graph graph;
  for (int i = 0; i < nodes; ++i) {
    const double forward = 1 + double(chance.below(9));
    graph.nodes.push_back({"n" + std::to_string(i), "linear", forward, 2 * forward, std::int64_t(chance.below(4)), 0});
  }
  for (int from = 0; from < nodes; ++from) {
    for (int to = from + 1; to < nodes; ++to) {
      if (chance.uniform() < density) graph.edges.emplace_back(from, to);
    }
  }
  return graph;
}

}  // namespace dlrun::placement
