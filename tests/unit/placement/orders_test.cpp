// SPDX-License-Identifier: Apache-2.0
#include "placement/orders.hpp"

#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

std::string letters(const Graph& graph, const char* order) {
  std::string out;
  for (const int node : order_named(order).of(graph)) out += graph.nodes[std::size_t(node)].name;
  return out;
}

}  // namespace

// networkx 2.4's topological_sort, dfs_preorder_nodes, dfs_postorder_nodes and bfs_tree on this graph; 3.x for
// generations.
TEST_CASE("orders are those of networkx", "[placement][orders]") {
  const Graph graph = graph_of("abcdef", {"ab", "ac", "bd", "cd", "ce", "df", "ef"});
  CHECK(letters(graph, "topo") == "acebdf");
  CHECK(letters(graph, "reversed-topo") == "fdbeca");
  CHECK(letters(graph, "dfs-pre") == "abdfce");
  CHECK(letters(graph, "dfs-post") == "fdbeca");
  CHECK(letters(graph, "bfs") == "abcdef");
  CHECK(letters(graph, "topo-level") == "abcdef");
  CHECK(letters(graph, "lexico-topo") == "abcdef");
  CHECK(letters(graph, "alpha") == "abcdef");
}

TEST_CASE("names order by characters, and sources by name", "[placement][orders]") {
  Graph graph = graph_of("zab", {"ab"});
  graph.nodes[0].name = "step_10";
  graph.nodes[1].name = "step_2";
  CHECK(letters(graph, "alpha") == "bstep_10step_2");
  CHECK(letters(graph, "bfs") == "step_10step_2b");
  CHECK(letters(graph, "topo") == "step_2bstep_10");
}

TEST_CASE("longest ways and most work come first", "[placement][orders]") {
  Graph graph = graph_of("abc", {"ab"});
  graph.nodes[2].forward = 5;  // c: 7 seconds; a: 3 and 3 of b
  CHECK(letters(graph, "blevel") == "cab");
  CHECK(letters(graph, "heavy") == "cab");
  graph.nodes[1].backward = 5;  // the way from a takes 9
  CHECK(letters(graph, "blevel") == "acb");
}

TEST_CASE("reversed topological order is depth-first postorder where nodes were written topologically", "[placement]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = random_graph(5 + int(seed % 30), 0.15, seed);
    INFO(seed);
    CHECK(order_named("reversed-topo").of(graph) == order_named("dfs-post").of(graph));
  }
}

TEST_CASE("every order has every node once, topological ones behind what they read", "[placement][orders]") {
  const Graph graph = random_graph(60, 0.08, 7);
  for (const NamedOrder& named : named_orders()) {
    INFO(named.name);
    const Order order = named.of(graph);
    REQUIRE(order.size() == graph.nodes.size());
    std::vector<int> place(order.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = int(i);
    CHECK(std::count(place.begin(), place.end(), -1) == 0);
    if (!named.is_topological) continue;
    for (const auto& [from, to] : graph.edges) CHECK(place[std::size_t(from)] < place[std::size_t(to)]);
  }
}

TEST_CASE("an order that there is not names the nearest", "[placement][orders]") {
  CHECK_THROWS_WITH(order_named("tops"), "there is no traversal order 'tops'");
}

}  // namespace dlrun::placement
