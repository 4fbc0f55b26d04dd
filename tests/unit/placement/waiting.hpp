// SPDX-License-Identifier: Apache-2.0
// A graph on which a device had better wait.
#pragma once
#include "placement/cluster.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

/// a (2 s) sends 4 s to f (10 s) and t (3 s), z (2 s) sends 0.5 s to f. At 2 s the device of a can begin t, but f can
/// begin there at 2.5 s and elsewhere at 6 s.
inline Graph waiting_graph() {
  Graph graph = graph_of("azft", {"af", "zf", "at"});
  const double seconds[] = {2, 2, 10, 3};
  for (int i = 0; i < graph.size(); ++i) graph.nodes[std::size_t(i)].forward = seconds[i];
  graph.nodes[0].out_bytes = 8;
  graph.nodes[1].out_bytes = 1;
  return graph;
}

/// Two devices and two bytes a second.
inline Cluster waiting_cluster() {
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", 0, 2};
  return cluster;
}

}  // namespace dlrun::placement
