// SPDX-License-Identifier: Apache-2.0
// Favourite children without a solver.
#pragma once
#include "placement/small_communication.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

/// Each node has its first reader that is no favourite of an earlier node.
inline Favourites free_readers(const Graph& graph, const Cluster&, bool) {
  Favourites favourites(graph.nodes.size(), kNoFavourite);
  std::vector<char> is_taken(graph.nodes.size(), 0);
  for (const auto& [from, to] : graph.edges) {
    if (favourites[std::size_t(from)] != kNoFavourite || is_taken[std::size_t(to)]) continue;
    favourites[std::size_t(from)] = to;
    is_taken[std::size_t(to)] = 1;
  }
  return favourites;
}

}  // namespace dlrun::placement
