// SPDX-License-Identifier: Apache-2.0
#include "placement/baselines.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dlrun::placement {

namespace {

/// Nodes along the order, each device until the sum so far passes its share of the total.
/// @param shares  of each device, in any unit
Placement cut_by(const Graph& graph, const Order& order, const std::vector<double>& shares,
                 const std::function<double(const Node&)>& weight) {
  std::vector<double> ends(shares.size());
  std::partial_sum(shares.begin(), shares.end(), ends.begin());
  double total = 0, sum = 0;
  for (const Node& node : graph.nodes) total += weight(node);
  Placement placement(graph.nodes.size());
  for (const int node : order) {
    const double middle = sum + weight(graph.nodes[std::size_t(node)]) / 2;
    const double place = total > 0 ? middle / total * ends.back() : 0;
    const auto device = std::upper_bound(ends.begin(), ends.end() - 1, place);
    placement[std::size_t(node)] = int(device - ends.begin());
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

Placement cut_by_work(const Graph& graph, const Order& order, const Cluster& cluster) {
  std::vector<double> speeds;
  for (const Device& device : cluster.devices) speeds.push_back(device.speed);
  return cut_by(graph, order, speeds, [](const Node& node) { return node.forward + node.backward; });
}

Placement fill_memory(const Graph& graph, const Order& order, const Cluster& cluster) {
  const auto first = double(cluster.devices.front().memory);
  const bool are_limited = std::all_of(cluster.devices.begin(), cluster.devices.end(),
                                       [](const Device& device) { return device.memory > 0; });
  std::vector<double> shares;
  for (const Device& device : cluster.devices) shares.push_back(are_limited ? double(device.memory) / first : 1);
  return cut_by(graph, order, shares, [](const Node& node) { return double(node.out_bytes + node.param_bytes); });
}

}  // namespace dlrun::placement
