// SPDX-License-Identifier: Apache-2.0
#include "placement/coarsening.hpp"

#include <numeric>

#include "placement/orders.hpp"
#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

namespace {

std::string groups_of(const Coarse& coarse) {
  std::string text;
  for (const int node : coarse.node_of) text += char('0' + node);
  return text;
}

}  // namespace

// s - a - b - t and s - c - t: a and b are a chain; s and t have two ways between them.
TEST_CASE("chains are merged first, then the pair with most bytes, but no cycle is made", "[placement][coarsening]") {
  Graph graph = graph_of("sabct", {"sa", "ab", "bt", "sc", "ct"});
  for (int i = 0; i < 5; ++i) graph.nodes[std::size_t(i)].out_bytes = std::int64_t{10} << i;  // 10 20 40 80 160
  graph.nodes[1].param_bytes = 5;
  const Coarse chain = coarsened(graph, 4);
  CHECK(groups_of(chain) == "01123");
  CHECK(chain.graph.nodes[1].name == "a+1");
  CHECK(chain.graph.nodes[1].forward == 2);
  CHECK(chain.graph.nodes[1].backward == 4);
  CHECK(chain.graph.nodes[1].param_bytes == 5);
  CHECK(chain.graph.nodes[1].out_bytes == 40);  // b's: a's output stays inside
  CHECK(chain.graph.edges == std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(groups_of(coarsened(graph, 3)) == "01122");  // c and t, 80 bytes
  CHECK(groups_of(coarsened(graph, 2)) == "00011");  // and in the same round s and ab, 10 bytes
  CHECK(groups_of(coarsened(graph, 1)) == "00000");
}

// a and t stand together, and so the coarse nodes that they are in.
TEST_CASE("coarse nodes with parts of one group are a group", "[placement][coarsening][groups]") {
  Graph graph = graph_of("sabct", {"sa", "ab", "bt", "sc", "ct"});
  graph.nodes[1].group = graph.nodes[4].group = "tied";
  const Coarse coarse = coarsened(graph, 4);
  CHECK(groups_of(coarse) == "01123");
  CHECK(leaders_of(coarse.graph) == std::vector<int>{0, 1, 2, 1});
}

TEST_CASE("nodes without edges are merged by least work", "[placement][coarsening]") {
  Graph graph = graph_of("abc", {});
  graph.nodes[0].forward = 9;
  CHECK(groups_of(coarsened(graph, 2)) == "011");
}

TEST_CASE("a coarse graph has no cycle and all of the work", "[placement][coarsening]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(60, 0.06, seed);
    const Coarse coarse = coarsened(graph, 12);
    CHECK(coarse.graph.size() == 12);
    CHECK(kahn(coarse.graph).size() == 12);
    const auto work = [](const Graph& of) {
      return std::accumulate(of.nodes.begin(), of.nodes.end(), 0.0,
                             [](double sum, const Node& node) { return sum + node.forward + node.backward; });
    };
    CHECK(work(coarse.graph) == Approx(work(graph)));
    Placement placement(12);
    std::iota(placement.begin(), placement.end(), 0);
    CHECK(coarse.expanded(placement) == coarse.node_of);
  }
}

}  // namespace dlrun::placement
