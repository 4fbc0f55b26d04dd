// SPDX-License-Identifier: Apache-2.0
// Seconds that no placement can beat.
#pragma once
#include "placement/cluster.hpp"
#include "placement/graph.hpp"

namespace dlrun::placement {

struct Bounds {
  double critical_path = 0;  ///< longest way forward and back, on the fastest device, nothing sent
  double work = 0;           ///< all tasks, over the sum of the devices' speeds
  double largest = 0;        ///< the node, or group of nodes, with most work, on the fastest device

  double most() const;
};

Bounds bounds_of(const Graph& graph, const Cluster& cluster, bool trains);

}  // namespace dlrun::placement
