// SPDX-License-Identifier: Apache-2.0
#include "placement/ranks.hpp"

#include <algorithm>

#include "placement/list_parts.hpp"
#include "placement/orders.hpp"

namespace dlrun::placement {

namespace {

/// The longest way from each node, where a node is worth `worth(node)`.
template <class Worth>
std::vector<double> longest_ways(const Graph& graph, Worth worth) {
  const Lists children = children_of(graph);
  std::vector<double> way(graph.nodes.size());
  const Order order = kahn(graph);
  for (std::size_t i = order.size(); i-- > 0;) {
    double behind = 0;
    for (const int reader : children[std::size_t(order[i])]) behind = std::max(behind, way[std::size_t(reader)]);
    way[std::size_t(order[i])] = worth(graph.nodes[std::size_t(order[i])]) + behind;
  }
  return way;
}

}  // namespace

std::vector<double> ways_to_end(const Graph& graph) {
  return longest_ways(graph, [](const Node& node) { return node.forward + node.backward; });
}

int depth_of(const Graph& graph) {
  const std::vector<double> ways = longest_ways(graph, [](const Node&) { return 1.0; });
  return int(*std::max_element(ways.begin(), ways.end()));
}

std::vector<double> upward_ranks(const Step& step, const Cluster& cluster) {
  const double slowness = mean_slowness(cluster);
  const double share_remote = 1 - 1.0 / cluster.size();
  const Link link = cluster.mean_link();
  std::vector<double> rank(step.tasks.size());
  const std::vector<int> order = producers_first(step);
  for (std::size_t i = order.size(); i-- > 0;) {
    double behind = 0;
    for (const int tensor : step.outputs[std::size_t(order[i])]) {
      const double travel = share_remote * link.seconds(step.tensors[std::size_t(tensor)].bytes);
      for (const int reader : step.tensors[std::size_t(tensor)].readers)
        behind = std::max(behind, travel + rank[std::size_t(reader)]);
    }
    rank[std::size_t(order[i])] = step.tasks[std::size_t(order[i])].seconds * slowness + behind;
  }
  return rank;
}

}  // namespace dlrun::placement
