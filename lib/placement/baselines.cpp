// SPDX-License-Identifier: Apache-2.0
#include "placement/baselines.hpp"

#include <algorithm>
#include <functional>

namespace dlrun::placement {

namespace {

/// Nodes along the order, each device until the sum so far passes its share of the total.
Placement cut_by(const Graph& graph, const Order& order, int devices,
                 const std::function<double(const Node&)>& weight) {
  double total = 0, sum = 0;
  for (const Node& node : graph.nodes) total += weight(node);
  Placement placement(graph.nodes.size());
  for (const int node : order) {
    const double middle = sum + weight(graph.nodes[std::size_t(node)]) / 2;
    const int device = total > 0 ? int(middle / total * devices) : 0;
    placement[std::size_t(node)] = std::min(device, devices - 1);
    sum += weight(graph.nodes[std::size_t(node)]);
  }
  return placement;
}

}  // namespace

Placement on_one(const Graph& graph, int device) { return Placement(graph.nodes.size(), device); }

Placement round_robin(const Order& order, int devices) {
  Placement placement(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) placement[std::size_t(order[i])] = int(i % std::size_t(devices));
  return placement;
}

Placement cut_by_work(const Graph& graph, const Order& order, int devices) {
  return cut_by(graph, order, devices, [](const Node& node) { return node.forward + node.backward; });
}

Placement fill_memory(const Graph& graph, const Order& order, int devices) {
  return cut_by(graph, order, devices, [](const Node& node) { return double(node.out_bytes + node.param_bytes); });
}

}  // namespace dlrun::placement
