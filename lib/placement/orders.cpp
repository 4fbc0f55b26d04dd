// SPDX-License-Identifier: Apache-2.0
#include "placement/orders.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "placement/named.hpp"
#include "placement/ranks.hpp"

namespace dlrun::placement {

namespace {

std::vector<int> in_degrees(const Graph& graph) {
  std::vector<int> degrees(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) ++degrees[std::size_t(to)];
  return degrees;
}

std::vector<int> sources_of(const Graph& graph) {
  std::vector<int> out;
  const std::vector<int> degrees = in_degrees(graph);
  for (int node = 0; node < graph.size(); ++node) {
    if (degrees[std::size_t(node)] == 0) out.push_back(node);
  }
  return out;
}

bool by_name(const Graph& graph, int a, int b) {
  return graph.nodes[std::size_t(a)].name < graph.nodes[std::size_t(b)].name;
}

Order all_nodes(const Graph& graph) {
  Order all(graph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Takes a node's edges away; calls `free` for each reader that waits for nothing more.
template <class Free>
void release(const std::vector<int>& readers, std::vector<int>& degrees, Free free) {
  for (const int reader : readers) {
    if (--degrees[std::size_t(reader)] == 0) free(reader);
  }
}

Order alpha(const Graph& graph) {
  Order order = all_nodes(graph);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return by_name(graph, a, b); });
  return order;
}

Order reversed_topo(const Graph& graph) {
  Order order = kahn(graph);
  std::reverse(order.begin(), order.end());
  return order;
}

/// Whole generations: the nodes that are free, then all that become so.
Order topo_level(const Graph& graph) {
  const Lists children = children_of(graph);
  std::vector<int> degrees = in_degrees(graph);
  Order order = sources_of(graph);
  for (std::size_t at = 0; at < order.size(); ++at)
    release(children[std::size_t(order[at])], degrees, [&](int reader) { order.push_back(reader); });
  return order;
}

/// Takes the free node whose name comes first.
Order lexico_topo(const Graph& graph) {
  const Lists children = children_of(graph);
  std::vector<int> degrees = in_degrees(graph);
  const auto later = [&](int a, int b) { return by_name(graph, b, a); };
  std::priority_queue<int, std::vector<int>, decltype(later)> free(later, sources_of(graph));
  Order order;
  while (!free.empty()) {
    order.push_back(free.top());
    free.pop();
    release(children[std::size_t(order.back())], degrees, [&](int reader) { free.push(reader); });
  }
  return order;
}

/// Depth first along the edges, from all nodes as written; `is_pre`: a node when it is seen first, else when it is
/// left.
Order depth_first(const Graph& graph, bool is_pre) {
  const Lists children = children_of(graph);
  std::vector<char> is_seen(graph.nodes.size());
  std::vector<std::pair<int, std::size_t>> way;  // a node, and how many of its readers were looked at
  Order order;
  const auto enter = [&](int node) {
    if (is_seen[std::size_t(node)]) return;
    is_seen[std::size_t(node)] = 1;
    if (is_pre) order.push_back(node);
    way.emplace_back(node, 0);
  };
  for (int root = 0; root < graph.size(); ++root) {
    enter(root);
    while (!way.empty()) {
      auto& [node, looked] = way.back();
      const std::vector<int>& readers = children[std::size_t(node)];
      if (looked < readers.size()) {
        enter(readers[looked++]);
      } else {
        if (!is_pre) order.push_back(node);
        way.pop_back();
      }
    }
  }
  return order;
}

Order dfs_pre(const Graph& graph) { return depth_first(graph, true); }
Order dfs_post(const Graph& graph) { return depth_first(graph, false); }

/// From each source by name all that it reaches, nearest first; a node stands where it is reached first.
Order bfs(const Graph& graph) {
  const Lists children = children_of(graph);
  std::vector<int> roots = sources_of(graph);
  std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) { return by_name(graph, a, b); });
  std::vector<char> is_out(graph.nodes.size());
  Order order;
  for (const int root : roots) {
    std::vector<char> is_seen(graph.nodes.size());
    std::vector<int> queue{root};
    is_seen[std::size_t(root)] = 1;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const int node = queue[at];
      if (!is_out[std::size_t(node)]) order.push_back(node);
      is_out[std::size_t(node)] = 1;
      for (const int reader : children[std::size_t(node)]) {
        if (!is_seen[std::size_t(reader)]) queue.push_back(reader);
        is_seen[std::size_t(reader)] = 1;
      }
    }
  }
  return order;
}

Order by_descending(const Graph& graph, const std::vector<double>& value) {
  Order order = all_nodes(graph);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return value[std::size_t(a)] > value[std::size_t(b)]; });
  return order;
}

Order blevel(const Graph& graph) { return by_descending(graph, ways_to_end(graph)); }

Order heavy(const Graph& graph) {
  std::vector<double> cost;
  for (const Node& node : graph.nodes) cost.push_back(node.forward + node.backward);
  return by_descending(graph, cost);
}

}  // namespace

Order kahn(const Graph& graph) {
  const Lists children = children_of(graph);
  std::vector<int> degrees = in_degrees(graph), free = sources_of(graph);
  Order order;
  while (!free.empty()) {
    order.push_back(free.back());
    free.pop_back();
    release(children[std::size_t(order.back())], degrees, [&](int reader) { free.push_back(reader); });
  }
  return order;
}

const std::vector<NamedOrder>& named_orders() {
  static const std::vector<NamedOrder> all = {
      {"topo", "topological: of the free nodes the last that became free", true, true, kahn},
      {"reversed-topo", "topo from its end", true, false, reversed_topo},
      {"dfs-pre", "depth first, a node when it is seen", true, false, dfs_pre},
      {"dfs-post", "depth first, a node when it is left", true, false, dfs_post},
      {"bfs", "breadth first from each source", true, false, bfs},
      {"alpha", "by name", true, false, alpha},
      {"topo-level", "topological by generations", false, true, topo_level},
      {"lexico-topo", "topological, of the free nodes the first by name", false, true, lexico_topo},
      {"blevel", "longest way to the end first", false, false, blevel},
      {"heavy", "most seconds first", false, false, heavy},
  };
  return all;
}

const NamedOrder& order_named(const std::string& name) { return named(named_orders(), name, "traversal order"); }

}  // namespace dlrun::placement
