// SPDX-License-Identifier: Apache-2.0
#include "placement/turns.hpp"

#include <cmath>

#include "placement/evaluator.hpp"
#include "support/catch.hpp"
#include "unit/placement/waiting.hpp"

namespace turns_test {

using namespace dlrun::placement;

namespace {

double played(const Step& step, const Cluster& cluster, const Placement& placement, const Turns& turns) {
  Simulator simulator(step, cluster);
  simulator.follow(turns);
  return simulator.seconds(placement);
}

}  // namespace

// First come, first served the device of a computes t until 5 s, and f from then on. In turns it waits for z's output
// until 2.5 s, computes f until 12.5 s and then t.
TEST_CASE("a device waits for the task whose turn it is", "[placement][simulator]") {
  const Step step = inference_step(waiting_graph());
  const Cluster cluster = waiting_cluster();
  const Placement placement{0, 1, 0, 0};
  CHECK(played(step, cluster, placement, {}) == 15);
  CHECK(played(step, cluster, placement, {{{0, 2, 3}, {1}}}) == 15.5);
  CHECK(played(step, cluster, placement, {{{0, 3, 2}, {1}}}) == 15);
}

// a and b, 1 s each on device 0, send 3 s to c and d on device 1. As they come: 1-4 and 4-7, d ends at 8 s. With b's
// output first the link waits for it until 2 s: 2-5 and 5-8; d ends at 6 s and c at 9 s.
TEST_CASE("a link waits for the tensor whose turn it is", "[placement][simulator]") {
  Graph graph = graph_of("abcd", {"ac", "bd"});
  for (Node& node : graph.nodes) node.out_bytes = 6;
  const Step step = inference_step(graph);
  const Cluster cluster = waiting_cluster();
  const Placement placement{0, 0, 1, 1};
  CHECK(played(step, cluster, placement, {}) == 8);
  CHECK(played(step, cluster, placement, {{{0, 1}, {2, 3}}, {{}, {0, 1}, {}, {}}}) == 8);
  CHECK(played(step, cluster, placement, {{{0, 1}, {3, 2}}, {{}, {1, 0}, {}, {}}}) == 9);
}

TEST_CASE("a step whose turns wait for each other never ends", "[placement][simulator]") {
  const Step step = inference_step(graph_of("abc", {"ab", "bc"}));
  const Cluster cluster = waiting_cluster();
  CHECK(std::isinf(played(step, cluster, {0, 1, 0}, {{{2, 0}, {1}}})));
  Evaluator evaluator(step, cluster, 10);
  evaluator.cost({0, 1, 0}, {{{2, 0}, {1}}});
  evaluator.cost({0, 0, 0});
  CHECK(evaluator.best() == Placement{0, 0, 0});
  Graph heavy = graph_of("abc", {"ab", "bc"});
  for (Node& node : heavy.nodes) node.param_bytes = 10;
  Cluster small = waiting_cluster();
  for (Device& device : small.devices) device.memory = 25;
  const Step held = inference_step(heavy);
  Evaluator limited(held, small, 10);
  limited.cost({0, 1, 0}, {{{2, 0}, {1}}});
  limited.cost({0, 0, 0});  // fits nowhere, but ends
  CHECK(limited.best() == Placement{0, 0, 0});
}

TEST_CASE("a trainer's passes keep the order within each of them", "[placement][simulator]") {
  CHECK(pass_by_pass({{{0, 5, 2, 4}, {1, 3}}, {{}, {7}}}, 3).tasks == Lists{{0, 2, 5, 4}, {1, 3}});
  CHECK(pass_by_pass({{{0}}, {{7}}}, 3).tensors.empty());
}

TEST_CASE("turns are those of a schedule", "[placement]") {
  const Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd"});
  const Step step = training_step(graph);
  const Placement placement{1, 0, 1, 1};
  // Nothing takes time: what b has to wait for begins with it, and a backward later.
  const std::vector<double> begins{0, 2, 0, 2, 9, 2, 2, 2};
  CHECK(tasks_by_begin(step, placement, 3, begins) == Lists{{1, 5}, {0, 2, 3, 7, 6, 4}, {}});
}

// Outputs by number: a's is 0, b's 1; c reads both. Only a and c are on different devices.
TEST_CASE("tensors that nobody on the device reads take no turn", "[placement]") {
  const Step step = inference_step(graph_of("abc", {"ac", "bc"}));
  Cluster cluster = waiting_cluster();
  cluster.devices.push_back({"2"});
  const std::vector<Departure> all{{1, 0, 2}, {0, 0, 3}, {0, 1, 1}, {1, 1, 1}, {0, 2, 0}};
  CHECK(tensors_by_begin(step, cluster, {1, 0, 0}, all) == Lists{{}, {}, {}, {0}, {}, {}, {}, {}, {}});
  CHECK(tensors_by_begin(step, cluster, {1, 1, 0}, all) == Lists{{}, {}, {}, {1, 0}, {}, {}, {}, {}, {}});
  cluster.link.broadcasts = true;
  CHECK(tensors_by_begin(step, cluster, {1, 1, 0}, {{1, 5, 2}, {0, 7, 3}}) == Lists{{}, {1, 0}, {}});
}

}  // namespace turns_test
