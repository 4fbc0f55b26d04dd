// SPDX-License-Identifier: Apache-2.0
#include "placement/features.hpp"

#include <algorithm>

#include "placement/bounds.hpp"
#include "placement/orders.hpp"
#include "placement/ranks.hpp"

namespace dlrun::placement {

namespace {

/// Nodes on the longest way to each node, itself not counted.
std::vector<int> generations_of(const Graph& graph) {
  const Lists parents = parents_of(graph);
  std::vector<int> generation(graph.nodes.size());
  for (const int node : kahn(graph)) {
    for (const int parent : parents[std::size_t(node)])
      generation[std::size_t(node)] = std::max(generation[std::size_t(node)], generation[std::size_t(parent)] + 1);
  }
  return generation;
}

double share_of_skips(const Graph& graph) {
  if (graph.edges.empty()) return 0;
  const std::vector<int> generation = generations_of(graph);
  const auto skips = std::count_if(graph.edges.begin(), graph.edges.end(), [&](const Edge& edge) {
    return generation[std::size_t(edge.second)] > generation[std::size_t(edge.first)] + 1;
  });
  return double(skips) / double(graph.edges.size());
}

}  // namespace

Features features_of(const Graph& graph, const Cluster& cluster, bool trains) {
  Features out{.nodes = graph.size()};
  const Link link = cluster.mean_link();
  double work = 0, sent = 0;
  for (const Node& node : graph.nodes) {
    work += node.forward + (trains ? node.backward : 0);
    sent += link.seconds(node.out_bytes);
  }
  const double longest = bounds_of(graph, {.devices = {{"0"}}}, trains).critical_path;  // at speed 1, as the work
  for (const std::vector<int>& readers : children_of(graph))
    out.widest_fan_out = std::max(out.widest_fan_out, int(readers.size()));
  for (const std::vector<int>& producers : parents_of(graph)) out.sources += producers.empty() ? 1 : 0;
  out.parallelism = longest > 0 ? work / longest : 1;
  out.transfer_share = work > 0 ? (trains ? 2 : 1) * sent / work : 0;
  out.skip_share = share_of_skips(graph);
  out.depth_share = double(depth_of(graph)) / graph.size();
  return out;
}

}  // namespace dlrun::placement
