// SPDX-License-Identifier: Apache-2.0
// Devices, and the best of all placements by trying each one.
#pragma once
#include <cmath>

#include "placement/evaluator.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

constexpr std::int64_t kPlenty = 1'000'000;

inline Cluster some_devices(int count, bool broadcasts = false) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i)});
  cluster.link = {"test", 0.25, 2, 0.5, broadcasts};
  cluster.task_gap = broadcasts ? 0.125 : 0;
  return cluster;
}

/// Devices of different speeds, links that differ from pair to pair.
inline Cluster unequal_devices(int count) {
  Cluster cluster = some_devices(count);
  for (int i = 0; i < count; ++i) cluster.devices[std::size_t(i)].speed = 1 + i;
  cluster.pairs[{0, 1}] = {"slow", 1.5, 1, 0.25};
  if (count > 2) cluster.pairs[{1, 2}] = {"fast", 0.125, 16};
  return cluster;
}

/// Nodes "n1", "n4", "n5" in one group, "n0" and "n3" in another.
inline Graph with_groups(Graph graph) {
  for (const std::size_t node : {1, 4, 5}) graph.nodes[node].group = "odd";
  for (const std::size_t node : {0, 3}) graph.nodes[node].group = "three";
  return graph;
}

inline bool are_together(const Graph& graph, const Placement& placement) {
  const std::vector<int> leaders = leaders_of(graph);
  for (std::size_t node = 0; node < placement.size(); ++node) {
    if (placement[node] != placement[std::size_t(leaders[node])]) return false;
  }
  return true;
}

inline Cost least_of_all(const Step& step, const Cluster& cluster) {
  Evaluator evaluator(step, cluster, kPlenty);
  const int devices = cluster.size();
  for (int code = 0; code < int(std::pow(devices, step.nodes())); ++code) {
    Placement placement;
    for (int rest = code, node = 0; node < step.nodes(); ++node, rest /= devices) placement.push_back(rest % devices);
    evaluator.cost(placement);
  }
  return evaluator.best_cost();
}

}  // namespace dlrun::placement
