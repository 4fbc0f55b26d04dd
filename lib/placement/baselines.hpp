// SPDX-License-Identifier: Apache-2.0
// Placements that need no search.
#pragma once
#include "placement/cluster.hpp"
#include "placement/orders.hpp"
#include "placement/simulator.hpp"

namespace dlrun::placement {

/// All nodes on one device.
Placement on_one(const Graph& graph, int device);

/// Device i, then i + 1, … along the order.
Placement round_robin(const Order& order, int devices);

/// The order cut into pieces of work, one for each device, by its speed.
Placement cut_by_work(const Graph& graph, const Order& order, const Cluster& cluster);

/// Along the order each device gets its share of the bytes of all parameters and outputs: by its memory where all have
/// a limit, else the same (Baechi's m-TOPO, Jeon et al. 2020).
Placement fill_memory(const Graph& graph, const Order& order, const Cluster& cluster);

}  // namespace dlrun::placement
