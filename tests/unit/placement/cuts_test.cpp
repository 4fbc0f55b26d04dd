// SPDX-License-Identifier: Apache-2.0
#include "placement/cuts.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

namespace {

Cluster pair_of(double bandwidth) {
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", 0, bandwidth};
  return cluster;
}

}  // namespace

// Two triangles of heavy edges, and one light edge between them: of 3 * 2 * 10 + 2 each way.
TEST_CASE("METIS cuts the light edge between two halves", "[placement][cuts]") {
  Graph graph = graph_of("abcdef", {"ab", "ac", "bc", "de", "df", "ef", "cd"});
  for (Node& node : graph.nodes) node.out_bytes = 10;
  graph.nodes[2].out_bytes = 1;  // c is read by d alone
  const WeightedGraph weighted = weighted_graph(graph, {"test", 0, 1}, true);
  const Cut cut = cut_by_metis(weighted, {1, 1}, 0.03, false);
  CHECK(cut.part[0] == cut.part[1]);
  CHECK(cut.part[1] == cut.part[2]);
  CHECK(cut.part[3] == cut.part[4]);
  CHECK(cut.part[4] == cut.part[5]);
  CHECK(cut.part[0] != cut.part[5]);
  CHECK(cut.weight == 16393);  // 1 of 61, in parts of a million
  CHECK(weighted.work == std::vector<int>(6, 166667));
}

TEST_CASE("the weight that METIS counts is that of a recount", "[placement][cuts]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const WeightedGraph weighted = weighted_graph(random_graph(40, 0.1, seed), {"test", 0.5, 2}, seed % 2 == 0);
    for (const int parts : {2, 3, 5}) {
      const Cut cut = cut_by_metis(weighted, std::vector<double>(std::size_t(parts), 1), 0.1, seed % 3 == 0);
      CHECK(cut.weight == cut_weight(weighted, cut.part));
      CHECK(*std::max_element(cut.part.begin(), cut.part.end()) < parts);
    }
  }
}

TEST_CASE("cuts are judged by simulation, and graphs without edges are cut too", "[placement][cuts]") {
  const Cluster cluster = pair_of(1);
  const Graph apart = graph_of("abcd", {});
  const Step step = training_step(apart);
  Evaluator evaluator(step, cluster, 100);
  try_cuts(evaluator, apart);
  CHECK(evaluator.best_cost().seconds == 6);
  CHECK(evaluator.tried() == 5);
  const Graph alone = graph_of("a", {});
  const Step one = training_step(alone);
  Evaluator of_one(one, cluster, 100);
  try_cuts(of_one, alone);
  CHECK(of_one.tried() == 1);
}

// Six equal nodes, two and four of them; and on devices of speed 1 and 2 three of four nodes on the faster one: 4.5 s.
TEST_CASE("a part's work is its share, and faster devices get more", "[placement][cuts]") {
  const WeightedGraph weighted = weighted_graph(graph_of("abcdef", {}), {"test", 0, 1}, true);
  for (const bool balances_bytes : {false, true}) {
    const Placement part = cut_by_metis(weighted, {1, 2}, 0.03, balances_bytes).part;
    CHECK(std::count(part.begin(), part.end(), 0) == 2);
  }
  Cluster cluster = pair_of(1);
  cluster.devices[1].speed = 2;
  const Graph apart = graph_of("abcd", {});
  const Step step = training_step(apart);
  Evaluator evaluator(step, cluster, 100);
  try_cuts(evaluator, apart);
  CHECK(evaluator.best_cost().seconds == 4.5);
}

// Tensors of 1 byte, to the group and back. a's output goes to both c and d, which stand together: it travels once.
TEST_CASE("a group is one node for METIS", "[placement][cuts][groups]") {
  Graph graph = graph_of("abcd", {"ac", "ad", "ab", "bd"});
  for (Node& node : graph.nodes) node.out_bytes = 1;
  graph.nodes[2].group = graph.nodes[3].group = "cd";
  CHECK(group_numbers(graph) == std::vector<int>{0, 1, 2, 2});
  const WeightedGraph weighted = weighted_graph(graph, {"test", 0, 1}, true);
  CHECK(weighted.work == std::vector<int>{250000, 250000, 500000});
  CHECK(weighted.edge_weights == std::vector<int>(6, 333333));
  const Step step = training_step(graph);
  Cluster cluster = pair_of(1000);
  Evaluator evaluator(step, cluster, 100);
  try_cuts(evaluator, graph);
  CHECK(evaluator.best()[2] == evaluator.best()[3]);
}

// Nodes a and b have all of the work, c and d all of the bytes: each device gets one of each.
TEST_CASE("with limits of memory cuts balance bytes as well", "[placement][cuts]") {
  Graph graph = graph_of("abcd", {"ab", "cd"});
  for (const std::size_t light : {2, 3}) graph.nodes[light].forward = graph.nodes[light].backward = 0;
  for (const std::size_t heavy : {2, 3}) graph.nodes[heavy].param_bytes = 100;
  const Cut cut = cut_by_metis(weighted_graph(graph, {"test", 0, 1}, true), {1, 1}, 0.1, true);
  CHECK(cut.part[0] != cut.part[1]);
  CHECK(cut.part[2] != cut.part[3]);
}

}  // namespace dlrun::placement
