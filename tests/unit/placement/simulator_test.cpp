// SPDX-License-Identifier: Apache-2.0
// Times worked out by hand. Nodes take 1 s forward and 2 s backward; the link takes 1 s a byte.
#include "placement/simulator.hpp"

#include "placement/bounds.hpp"
#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

namespace {

Cluster two_devices(double latency = 0) {
  Cluster cluster;
  cluster.devices = {{"0"}, {"1"}};
  cluster.link = {"test", latency, 1};
  return cluster;
}

Graph with_bytes(Graph graph, std::int64_t bytes) {
  for (Node& node : graph.nodes) node.out_bytes = bytes;
  return graph;
}

double seconds(const Graph& graph, const Cluster& cluster, const Placement& placement) {
  const Step step = training_step(graph);
  return Simulator(step, cluster).seconds(placement);
}

}  // namespace

TEST_CASE("a chain takes the sum of its tasks wherever it stands, and its transfers", "[placement][simulator]") {
  const Graph chain = with_bytes(graph_of("abc", {"ab", "bc"}), 5);
  CHECK(seconds(chain, two_devices(), {0, 0, 0}) == 9);
  CHECK(seconds(chain, two_devices(), {0, 0, 1}) == 9 + 5 + 5);               // there and back
  CHECK(seconds(chain, two_devices(0.5), {0, 1, 0}) == 9 + 4 * 5 + 4 * 0.5);  // four ways
}

// Forward: a 0-1, b 1-2 on 0; c comes at 1 + 1 and ends at 3; d waits for c's output until 4, ends at 5. Backward: d
// 5-7; b 7-9 on 0, c from 8 to 10, its gradient at 11, a 11-13.
TEST_CASE("branches run beside each other", "[placement][simulator]") {
  const Graph graph = with_bytes(graph_of("abcd", {"ab", "ac", "bd", "cd"}), 1);
  CHECK(seconds(graph, two_devices(), {0, 0, 1, 0}) == 13);
  CHECK(seconds(graph, two_devices(), {0, 0, 0, 0}) == 12);
}

TEST_CASE("a fast device takes less time", "[placement][simulator]") {
  Cluster cluster = two_devices();
  cluster.devices[1].speed = 4;
  CHECK(seconds(graph_of("ab", {"ab"}), cluster, {1, 1}) == 6.0 / 4);
}

// One source with readers on two devices: two transfers of 3 s, side by side on links of their own, or one that serves
// both.
TEST_CASE("one tensor travels once to each device, or once to all", "[placement][simulator]") {
  const Graph graph = with_bytes(graph_of("abcd", {"ab", "ac", "ad"}), 3);
  Cluster cluster = two_devices();
  cluster.devices.push_back({"2"});
  const Step step = inference_step(graph);
  const Outcome apart = Simulator(step, cluster).outcome({0, 1, 1, 2});
  CHECK(apart.transfers == 2);
  CHECK(apart.sent == 6);
  CHECK(apart.seconds == 1 + 3 + 2);
  cluster.link.broadcasts = true;
  const Outcome together = Simulator(step, cluster).outcome({0, 1, 1, 2});
  CHECK(together.transfers == 1);
  CHECK(together.seconds == 1 + 3 + 2);
}

// From 0 to 1 a tensor of 3 bytes takes 3 s, between 0 and 2 it takes 0.5 + 1. With c on 2, forward: a 0-1, b 1-2, c
// from 2.5 to 3.5; backward: c 3.5-5.5, its gradient comes at 7, a 7-9.
TEST_CASE("each pair of devices may have a link of its own", "[placement][simulator]") {
  const Graph graph = with_bytes(graph_of("abc", {"ab", "ac"}), 3);
  Cluster cluster = two_devices();
  cluster.devices.push_back({"2"});
  cluster.pairs[{0, 2}] = {"other", 0.5, 3};
  const Step step = inference_step(graph);
  CHECK(Simulator(step, cluster).seconds({0, 1, 2}) == 5);
  CHECK(Simulator(step, cluster).seconds({0, 0, 2}) == 3.5);
  CHECK(seconds(graph, cluster, {0, 0, 2}) == 9);
  CHECK(cluster.between(2, 0).name == "other");
  CHECK(cluster.between(1, 2).name == "test");
  CHECK(cluster.mean_link().latency == Approx(0.5 / 3));
  CHECK(cluster.mean_link().seconds(3) == Approx((3 + 3 + 1.5) / 3));
}

TEST_CASE("devices are alike where speed, memory and links to all others are", "[placement][simulator]") {
  Cluster cluster = equal_devices(3, "pcie3");
  CHECK(cluster.has_equal_devices());
  cluster.pairs[{0, 2}] = link_named("eth10");
  CHECK_FALSE(cluster.has_equal_devices());
  CHECK(cluster.are_alike(0, 2));  // both are as far from 1
  CHECK_FALSE(cluster.are_alike(0, 1));
  cluster.devices[2].memory = 1;
  CHECK_FALSE(cluster.are_alike(0, 2));
  CHECK(cluster.has_equal_speeds());
}

// Addanki et al. 2019: the gap after a transfer delays the next one, not this one; so with a task and its device.
TEST_CASE("gaps keep devices and links, not what has been made", "[placement][simulator]") {
  Cluster cluster = two_devices();
  cluster.link.gap = 10;
  const Graph pairs = with_bytes(graph_of("abcd", {"ac", "bd"}), 1);
  const Step step = inference_step(pairs);
  CHECK(Simulator(step, cluster).seconds({0, 0, 1, 1}) == 14);  // b's output leaves at 12 and comes at 13
  cluster.link.gap = 0;
  cluster.task_gap = 5;
  CHECK(Simulator(step, cluster).seconds({0, 0, 0, 0}) == 19);  // four seconds and three gaps
}

// Bytes of a: held from 0 to the end of a's backward task. On one device all three outputs are held when c has run.
TEST_CASE("devices hold outputs until their last reader has ended", "[placement][simulator]") {
  Graph chain = graph_of("abc", {"ab", "bc"});
  chain.nodes[0].out_bytes = 100;
  chain.nodes[1].out_bytes = 10;
  chain.nodes[2].out_bytes = 1;
  chain.nodes[1].param_bytes = 1000;
  const Step training = training_step(chain), inference = inference_step(chain);
  // At 5 s b's backward begins to make the gradient of a, 100 bytes; b's own gradient, 10, is there, and all outputs
  // still.
  CHECK(Simulator(training, two_devices()).outcome({0, 0, 0}).peak[0] == 3000 + 100 + 10 + 1 + 10 + 100);
  CHECK(Simulator(inference, two_devices()).outcome({0, 0, 0}).peak[0] == 1000 + 100 + 10);
  const Outcome split = Simulator(training, two_devices()).outcome({0, 1, 1});
  CHECK(split.peak[0] == 100 + 100);  // a's output, and its gradient when it comes
  CHECK(split.peak[1] == 3000 + 100 + 10 + 1 + 10 + 100);
}

TEST_CASE("no placement is faster than the bounds", "[placement][simulator]") {
  const Cluster cluster = two_devices();
  const Graph chain = graph_of("abc", {"ab", "bc"});
  const Bounds bounds = bounds_of(chain, cluster, true);
  CHECK(bounds.critical_path == 9);
  CHECK(bounds.work == 4.5);
  CHECK(bounds.largest == 3);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(8, 0.3, seed);
    const double least = bounds_of(graph, cluster, true).most();
    for (int code = 0; code < 256; ++code) {
      Placement placement;
      for (int node = 0; node < 8; ++node) placement.push_back(code >> node & 1);
      REQUIRE(seconds(graph, cluster, placement) >= least - 1e-9);
    }
  }
}

}  // namespace dlrun::placement
