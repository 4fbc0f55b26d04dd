// SPDX-License-Identifier: Apache-2.0
// Traversal orders of a graph: the order in which a sequential placer decides. Wang, Payberah, Hagos, Vlassov (DAIS
// 2022) compare six of them; their definitions are those of networkx 2.4, which their program uses.
#pragma once
#include <string>
#include <vector>

#include "placement/graph.hpp"

namespace dlrun::placement {

using Order = std::vector<int>;  ///< nodes, each once

struct NamedOrder {
  const char* name;
  const char* text;     ///< half a line for the help
  bool is_in_paper;     ///< one of the six of Wang et al. 2022
  bool is_topological;  ///< every node stands behind those that it reads
  Order (*of)(const Graph& graph);
};

/// All orders, in the order of the help.
const std::vector<NamedOrder>& named_orders();

/// @throws Error(usage) with the nearest known name
const NamedOrder& order_named(const std::string& name);

/// Kahn's algorithm with a stack: of the nodes that are free, the last one that became free. Fewer than all where the
/// graph has a cycle.
Order kahn(const Graph& graph);

}  // namespace dlrun::placement
