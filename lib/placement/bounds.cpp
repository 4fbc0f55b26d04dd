// SPDX-License-Identifier: Apache-2.0
#include "placement/bounds.hpp"

#include <algorithm>

#include "placement/orders.hpp"

namespace dlrun::placement {

namespace {

/// For each node the longest way from a source to its forward task, and from its backward task to a source's.
struct Ways {
  std::vector<double> there, back;
};

Ways ways_of(const Graph& graph) {
  const Lists parents = parents_of(graph);
  Ways ways{std::vector<double>(graph.nodes.size()), std::vector<double>(graph.nodes.size())};
  for (const int node : kahn(graph)) {
    double there = 0, back = 0;
    for (const int parent : parents[std::size_t(node)]) {
      there = std::max(there, ways.there[std::size_t(parent)]);
      back = std::max(back, ways.back[std::size_t(parent)]);
    }
    ways.there[std::size_t(node)] = there + graph.nodes[std::size_t(node)].forward;
    ways.back[std::size_t(node)] = back + graph.nodes[std::size_t(node)].backward;
  }
  return ways;
}

}  // namespace

double Bounds::most() const { return std::max({critical_path, work, largest}); }

Bounds bounds_of(const Graph& graph, const Cluster& cluster, bool trains) {
  double fastest = 0, speeds = 0;
  for (const Device& device : cluster.devices) {
    fastest = std::max(fastest, device.speed);
    speeds += device.speed;
  }
  const Ways ways = ways_of(graph);
  const std::vector<int> leaders = leaders_of(graph);
  std::vector<double> work_together(graph.nodes.size());
  Bounds bounds;
  double total = 0;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const double own = graph.nodes[node].forward + (trains ? graph.nodes[node].backward : 0);
    total += own;
    double& together = work_together[std::size_t(leaders[node])];
    together += own;
    bounds.largest = std::max(bounds.largest, together / fastest);
    bounds.critical_path =
        std::max(bounds.critical_path, (ways.there[node] + (trains ? ways.back[node] : 0)) / fastest);
  }
  bounds.work = total / speeds;
  return bounds;
}

}  // namespace dlrun::placement
