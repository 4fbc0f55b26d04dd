// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "placement/evaluator.hpp"
#include "placement/portfolio.hpp"
#include "placement/ranks.hpp"
#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace discipline_test {

using namespace dlrun::placement;

namespace {

Cluster devices(int count, double bandwidth) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i)});
  cluster.link = {"test", 0, bandwidth};
  return cluster;
}

/// Two tasks could begin at once, of 7 s and of 3 s; a third one, of 6 s, reads the shorter.
Graph short_before_long() {
  Graph graph = graph_of("abc", {"bc"});
  const double seconds[] = {7, 3, 6};
  for (std::size_t i = 0; i < 3; ++i) graph.nodes[i].forward = seconds[i];
  for (Node& node : graph.nodes) node.out_bytes = 1;
  return graph;
}

}  // namespace

// A transfer takes a quarter of a second. The reader is elsewhere in one of two cases, or two of three on three
// devices.
TEST_CASE("an upward rank is the longest way to the end, with mean transfers", "[placement][ranks]") {
  const Step step = inference_step(short_before_long());
  const auto ranks = upward_ranks(step, devices(2, 4));
  CHECK(ranks == std::vector<double>{7, 3 + 0.125 + 6, 6});
  CHECK(std::abs(upward_ranks(step, devices(3, 4))[1] - (3 + 2.0 / 12 + 6)) < 1e-12);
  Cluster unequal = devices(2, 4);
  unequal.devices[1].speed = 0.5;
  CHECK(upward_ranks(step, unequal) == std::vector<double>{10.5, 4.5 + 0.125 + 9, 9});
}

// As they come: a until 7 s, b until 10 s, c from 10.25 to 16.25 s. By the longest way: b until 3 s, a until 10 s, and
// c is done at 9.25 s.
TEST_CASE("a device computes the task with the highest priority", "[placement][simulator]") {
  const Step step = inference_step(short_before_long());
  const Cluster cluster = devices(2, 4);
  Simulator simulator(step, cluster);
  const Placement placement{0, 0, 1};
  CHECK(simulator.seconds(placement) == 16.25);
  simulator.prefer(upward_ranks(step, cluster));
  CHECK(simulator.seconds(placement) == 10);
  simulator.prefer({1, 1, 1});
  CHECK(simulator.seconds(placement) == 16.25);
  simulator.prefer({1, 2, 3});
  CHECK(simulator.seconds(placement) == 10);
  simulator.prefer({});
  CHECK(simulator.seconds(placement) == 16.25);
}

// A device that is free takes what there is; later comers with more priority wait for its end only.
TEST_CASE("a device does not wait for a task with more priority", "[placement][simulator]") {
  const Step step = inference_step(graph_of("abcd", {"ab"}));
  const Cluster cluster = devices(1, 1);
  Simulator simulator(step, cluster);
  simulator.prefer({1, 9, 3, 2});
  CHECK(simulator.seconds({0, 0, 0, 0}) == 4);
  CHECK(simulator.begins() == std::vector<double>{2, 3, 0, 1});
}

TEST_CASE("a placement that is judged by the longest way keeps the turns of its devices", "[placement][placers]") {
  const Step step = inference_step(short_before_long());
  const Cluster cluster = devices(2, 4);
  Evaluator evaluator(step, cluster, 10);
  evaluator.serve_by(Discipline::longest_way);
  CHECK(evaluator.cost({0, 0, 1}) == Cost{0, 10});
  CHECK(evaluator.best_turns().tasks == Lists{{1, 0}, {2}});
  evaluator.begin_anew();
  CHECK(evaluator.cost({0, 0, 1}) == Cost{0, 16.25});
  CHECK(evaluator.best_turns().tasks.empty());
}

TEST_CASE("greedy, auto and annealing find placements that are fast by the longest way", "[placement][placers]") {
  Graph graph = short_before_long();
  graph.nodes[0].group = graph.nodes[1].group = "one";
  const Cluster cluster = devices(2, 4);
  for (const char* placer : {"greedy", "auto", "anneal"}) {
    const Found found = place({graph, cluster, false, {"topo"}, {placer}, 100, 1}).back();
    INFO(placer);
    CHECK(found.placement[0] == found.placement[1]);
    CHECK(found.placement[0] != found.placement[2]);
    CHECK(found.cost == Cost{0, 10});
  }
}

TEST_CASE("a step in the turns that were found takes as long as was said, and annealing loses nothing",
          "[placement][placers]") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Graph graph = random_graph(24, 0.12, seed);
    for (std::size_t i = seed % 4; seed % 2 == 1 && i < graph.nodes.size(); i += 3)
      graph.nodes[i].forward = graph.nodes[i].backward = 0;
    const Cluster cluster = devices(3, 2);
    const Step step = training_step(graph);
    const auto found = place({graph, cluster, true, {"topo"}, {"heft", "greedy", "anneal"}, 300, seed});
    for (const Found& one : found) {
      INFO(one.text() << ", seed " << seed);
      CHECK(played(one, step, cluster).seconds == one.cost.seconds);
      CHECK(found.back().cost <= one.cost);
    }
  }
}

}  // namespace discipline_test
