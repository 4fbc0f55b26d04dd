// SPDX-License-Identifier: Apache-2.0
#include "placement/features.hpp"

#include "placement/portfolio.hpp"
#include "placement/rules.hpp"
#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

// a - b, a - c, b - d, c - d, a - d: the last edge jumps over a generation. 3 s a node; the way a b d takes 9 of 12.
TEST_CASE("features are counted by hand", "[placement][rules]") {
  Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd", "ad"});
  for (Node& node : graph.nodes) node.out_bytes = 3;
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", 0.5, 2};
  const Features features = features_of(graph, cluster, true);
  CHECK(features.nodes == 4);
  CHECK(features.sources == 1);
  CHECK(features.widest_fan_out == 3);
  CHECK(features.parallelism == Approx(12.0 / 9));
  CHECK(features.transfer_share == Approx(2 * 4 * 2.0 / 12));
  CHECK(features.skip_share == Approx(0.2));
  CHECK(features.depth_share == Approx(0.75));
}

// Work was in seconds of speed 1, the longest way in those of the fastest device.
TEST_CASE("parallelism is the graph's, whatever the speed of the devices", "[placement][rules]") {
  const Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd"});
  Cluster cluster;
  cluster.devices = {{"0", 8}, {"1", 0.5}};
  cluster.link = {"test", 0.5, 2};
  CHECK(features_of(graph, cluster, true).parallelism == Approx(12.0 / 9));
}

TEST_CASE("features of inference count forward passes alone", "[placement][rules]") {
  Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd"});
  for (Node& node : graph.nodes) node.forward = 2, node.backward = 1, node.out_bytes = 3;
  graph.nodes[1].backward = 100;
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", 0.5, 2};
  const Features features = features_of(graph, cluster, false);
  CHECK(features.parallelism == Approx(8.0 / 6));
  CHECK(features.transfer_share == Approx(4 * 2.0 / 8));
}

TEST_CASE("rules name an order by features", "[placement][rules]") {
  const auto order = [](const Features& features) { return std::string(rule_for(features).order); };
  CHECK(order({300, 1, 5, 2.5, 3.5, 0.2, 0.4}) == "alpha");           // cells
  CHECK(order({300, 2, 30, 1.5, 0.5, 0.2, 0.5}) == "topo");           // a hub that every step reads
  CHECK(order({170, 2, 20, 2.5, 0.1, 0.4, 0.5}) == "reversed-topo");  // attention
  CHECK(order({30, 1, 1, 1, 5, 0, 1}) == "alpha");                    // a chain may be cells of one layer
  CHECK(order({30, 3, 2, 1.2, 0.1, 0, 1}) == "lexico-topo");
}

TEST_CASE("the automatic placer goes along the order of the rules alone", "[placement][rules]") {
  const Graph graph = random_graph(30, 0.1, 11);
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", 0, 1};
  const std::vector<std::string> orders{"topo"}, placers{"auto"};
  const auto found = place({graph, cluster, true, orders, placers, 1'000, 1});
  REQUIRE(found.size() == 2);
  CHECK(found[1].placer == "auto");
  CHECK(found[1].order == rule_for(features_of(graph, cluster, true)).order);
}

}  // namespace dlrun::placement
