// SPDX-License-Identifier: Apache-2.0
#include "placement/exact.hpp"

#include <cmath>

#include "placement/branching.hpp"
#include "placement/portfolio.hpp"
#include "support/catch.hpp"
#include "unit/placement/every_placement.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

TEST_CASE("branching finds the best of all placements", "[placement][exact]") {
  for (const int devices : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const Graph graph = random_graph(devices == 2 ? 8 : 6, 0.3, seed);
      Cluster cluster = some_devices(devices, seed % 2 == 0);
      if (seed % 3 == 0) cluster.devices.back().speed = 2;
      if (seed % 4 == 1) cluster.devices.front().memory = 6;
      const Step step = training_step(graph);
      Evaluator evaluator(step, cluster, kPlenty);
      INFO(devices << " devices, seed " << seed);
      CHECK(try_all(evaluator));
      const Cost least = least_of_all(step, cluster);
      CHECK(evaluator.best_cost().excess == least.excess);
      CHECK(evaluator.best_cost().seconds == Approx(least.seconds));
      CHECK(evaluator.tried() <= std::int64_t(std::pow(devices, graph.size())));
    }
  }
}

TEST_CASE("branching finds the best of all placements on unequal devices", "[placement][exact]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const int devices = seed % 2 == 0 ? 2 : 3;
    Cluster cluster = unequal_devices(devices);
    if (seed % 3 == 0) {  // links alone make the difference
      for (Device& device : cluster.devices) device.speed = 1;
    }
    const Step step = training_step(random_graph(devices == 2 ? 8 : 6, 0.3, seed));
    Evaluator evaluator(step, cluster, kPlenty);
    INFO("seed " << seed);
    CHECK(try_all(evaluator));
    CHECK(evaluator.best_cost().seconds == Approx(least_of_all(step, cluster).seconds));
  }
}

// The best is that of all placements, also of those that tear groups apart, which the evaluator brings together.
TEST_CASE("branching decides for groups as a whole", "[placement][exact][groups]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = with_groups(random_graph(8, 0.3, seed));
    const Step step = training_step(graph);
    const Cluster cluster = some_devices(2);
    Evaluator evaluator(step, cluster, kPlenty);
    INFO("seed " << seed);
    CHECK(try_all(evaluator));
    CHECK(evaluator.tried() <= 32);  // five groups
    CHECK(are_together(graph, evaluator.best()));
    CHECK(evaluator.best_cost().seconds == least_of_all(step, cluster).seconds);
  }
}

TEST_CASE("branching that may not try enough proves nothing", "[placement][exact]") {
  const Step step = training_step(random_graph(10, 0.1, 1));
  const Cluster cluster = some_devices(2);
  Evaluator evaluator(step, cluster, 3);
  CHECK_FALSE(try_all(evaluator));
  CHECK(evaluator.tried() <= 3);
}

// No placement was ruled out as long as nothing fitted, and the tries ended before a placement that fits was found.
TEST_CASE("branching rules out devices with too many parameters", "[placement][exact]") {
  Graph graph = random_graph(9, 0.3, 3);
  for (Node& node : graph.nodes) node.param_bytes = 100;
  Cluster cluster = some_devices(3);
  for (Device& device : cluster.devices) device.memory = 950;  // three nodes, in three copies, and outputs
  const Step step = training_step(graph);
  Evaluator evaluator(step, cluster, kPlenty);
  CHECK(try_all(evaluator));
  const Cost least = least_of_all(step, cluster);
  CHECK(evaluator.best_cost().excess == least.excess);
  CHECK(evaluator.best_cost().seconds == Approx(least.seconds));
  CHECK(evaluator.best_cost().excess == 0);
  CHECK(evaluator.tried() < 600);  // of 3,281
}

TEST_CASE("the exact placer tries all placements of a small graph, however few tries the others have",
          "[placement][exact]") {
  const Graph graph = random_graph(9, 0.1, 1);
  const Cluster cluster = some_devices(3);
  const Step step = training_step(graph);
  const auto found = place({graph, cluster, true, {"topo"}, {"exact"}, 10, 1});
  CHECK(found.back().cost.seconds == Approx(least_of_all(step, cluster).seconds));
  CHECK(found.back().proof.seconds == found.back().cost.seconds);
}

TEST_CASE("the exact placer is no worse than any other, and its bound is the best", "[placement][exact]") {
  const Graph graph = random_graph(9, 0.2, 4);
  const Cluster cluster = some_devices(2);
  const auto found = place({graph, cluster, true, {"topo"}, {"greedy", "etf", "exact"}, 100'000, 1});
  CHECK(found.back().placer == "exact");
  CHECK(best_of(found).cost == found.back().cost);
  CHECK(found.back().proof.seconds == found.back().cost.seconds);
}

TEST_CASE("a graph too large for branching needs a prover", "[placement][exact]") {
  const Graph graph = random_graph(13, 0.2, 4);
  const Cluster cluster = some_devices(2);
  CHECK_THROWS_WITH(place({graph, cluster, true, {"topo"}, {"exact"}, 100, 1}),
                    "exact places 12 nodes here at most, not 13");
}

}  // namespace dlrun::placement
