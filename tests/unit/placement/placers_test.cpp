// SPDX-License-Identifier: Apache-2.0
#include "placement/annealing.hpp"
#include "placement/baselines.hpp"
#include "placement/bounds.hpp"
#include "placement/list_scheduling.hpp"
#include "placement/portfolio.hpp"
#include "placement/sequential.hpp"
#include "support/catch.hpp"
#include "unit/placement/free_readers.hpp"

namespace dlrun::placement {

namespace {

constexpr std::int64_t kEnough = 100'000;

Cluster devices(int count, double bandwidth = 1) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i)});
  cluster.link = {"test", 0, bandwidth};
  return cluster;
}

/// The lowest cost of all placements on two devices.
double least_seconds(const Step& step, const Cluster& cluster) {
  Evaluator evaluator(step, cluster, kEnough);
  for (int code = 0; code < 1 << step.nodes(); ++code) {
    Placement placement;
    for (int node = 0; node < step.nodes(); ++node) placement.push_back(code >> node & 1);
    evaluator.cost(placement);
  }
  return evaluator.best_cost().seconds;
}

std::vector<std::string> all_placers() {
  std::vector<std::string> names;
  for (const NamedPlacer& placer : named_placers()) {
    if (placer.name != std::string("exact")) names.emplace_back(placer.name);
  }
  return names;
}

}  // namespace

TEST_CASE("orders and cuts of inference count forward passes alone", "[placement][placers]") {
  Graph graph = graph_of("abcd", {"ab", "bc", "cd"});
  for (Node& node : graph.nodes) node.forward = 1, node.backward = 0;
  graph.nodes[0].backward = 10;
  graph.nodes[3].forward = 2;
  const std::vector<std::string> placers{"split", "round-robin"};
  const std::vector<std::string> topo{"topo"}, heavy{"heavy"};
  const Cluster cluster = devices(2);
  const auto split = [&](bool trains) { return place({graph, cluster, trains, topo, placers, 100, 1}).back(); };
  CHECK(split(true).placer == "split");
  CHECK(split(true).placement == Placement{0, 1, 1, 1});
  CHECK(split(false).placement == Placement{0, 0, 1, 1});
  // By seconds forward d a b c, in turns; with the backward passes a d b c.
  const auto along = [&](bool trains) { return place({graph, cluster, trains, heavy, placers, 100, 1})[1]; };
  CHECK(along(true).placement == Placement{0, 0, 1, 1});
  CHECK(along(false).placement == Placement{1, 0, 1, 0});
}

TEST_CASE("baselines place as they are defined", "[placement][placers]") {
  const Graph graph = graph_of("abcdef", {"ab"});
  CHECK(round_robin({5, 4, 3, 2, 1, 0}, 4) == Placement{1, 0, 3, 2, 1, 0});
  CHECK(cut_by_work(graph, {0, 1, 2, 3, 4, 5}, devices(3)) == Placement{0, 0, 1, 1, 2, 2});
  Cluster unequal = devices(2);
  unequal.devices[1].speed = 5;
  CHECK(cut_by_work(graph, {0, 1, 2, 3, 4, 5}, unequal) == Placement{0, 1, 1, 1, 1, 1});
  Graph heavy = graph;
  heavy.nodes[5].param_bytes = 100;
  heavy.nodes[0].out_bytes = 100;
  CHECK(fill_memory(heavy, {0, 1, 2, 3, 4, 5}, devices(2)) == Placement{0, 1, 1, 1, 1, 1});
  unequal.devices[0].memory = 900;
  unequal.devices[1].memory = 100;
  CHECK(fill_memory(heavy, {0, 1, 2, 3, 4, 5}, unequal) == Placement{0, 0, 0, 0, 0, 0});
}

TEST_CASE("no placer beats the best of all placements, and annealing finds it", "[placement][placers]") {
  const Cluster cluster = devices(2, 1);
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const Graph graph = random_graph(8, 0.25, seed);
    const double least = least_seconds(training_step(graph), cluster);
    INFO(seed << ", least " << least);
    const std::vector<std::string> orders{"dfs-pre"};
    for (const Found& found : place({graph, cluster, true, orders, all_placers(), 2'000, seed, {}, free_readers})) {
      INFO(found.placer << " " << found.order << " " << found.cost.seconds);
      if (found.turns.tasks.empty()) CHECK(found.cost.seconds >= least - 1e-9);
      CHECK(found.cost.seconds >= bounds_of(graph, cluster, true).most() - 1e-9);
      if (found.placer == "anneal") CHECK(found.cost.seconds <= least + 1e-9);
    }
  }
}

TEST_CASE("greedy and annealing are never worse than their start", "[placement][placers]") {
  const Cluster cluster = devices(3, 1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(20, 0.2, seed);
    const Step step = training_step(graph);
    Evaluator evaluator(step, cluster, kEnough);
    RandomStream chance(seed, {"test"});
    const Placement start = round_robin(kahn(graph), 3);
    const Cost before = evaluator.cost(start);
    CHECK(evaluator.cost(greedy(evaluator, kahn(graph), start, 1)) <= before);
    CHECK(evaluator.cost(anneal(evaluator, graph, kahn(graph), start, 50, chance)) <= before);
  }
}

// Graham 1966: equal jobs without edges, as they come, each on the device that is free first. 7 of 3 s on 3 devices: 9
// s.
TEST_CASE("list scheduling of jobs without edges is the plain greedy schedule", "[placement][placers]") {
  const Graph jobs = graph_of("abcdefg", {});
  const Cluster cluster = devices(3, 1);
  const Step step = training_step(jobs);
  Simulator simulator(step, cluster);
  CHECK(simulator.seconds(earliest_task_first(step, cluster).placement) == 9);
  CHECK(simulator.seconds(earliest_finish(step, cluster).placement) == 9);
}

// a and b are a group, and c, of 6 s, reads b. By the longest way b is before a, and a before c: b until 3 s, a until
// 10 s, and c, a quarter of a second behind b, from 3.25 to 9.25 s. First come, first served a is first, and c ends at
// 16.25 s.
TEST_CASE("a device computes in the order of its schedule where that is faster", "[placement][placers]") {
  Graph graph = graph_of("abc", {"bc"});
  const double seconds[] = {7, 3, 6};
  for (std::size_t i = 0; i < 3; ++i) graph.nodes[i].forward = seconds[i];
  for (Node& node : graph.nodes) node.out_bytes = 1;
  graph.nodes[0].group = graph.nodes[1].group = "one";
  const Cluster cluster = devices(2, 4);
  const Found found = place({graph, cluster, false, {}, {"heft"}, 10, 1}).back();
  CHECK(found.placement == Placement{0, 0, 1});
  CHECK(found.turns.tasks == Lists{{1, 0}, {2}});
  CHECK(found.cost == Cost{0, 10});
  const Step step = inference_step(graph);
  CHECK(played(found, step, cluster).seconds == 10);
  CHECK(Simulator(step, cluster).seconds(found.placement) == 16.25);
}

TEST_CASE("a placement keeps the first turns that are as fast", "[placement][placers]") {
  const Step step = inference_step(graph_of("ab", {}));
  const Cluster cluster = devices(2);
  Evaluator evaluator(step, cluster, kEnough);
  evaluator.cost({0, 0});
  CHECK(evaluator.cost({0, 0}, {{{1, 0}, {}}}) == Cost{0, 2});
  CHECK(evaluator.best_turns().tasks.empty());
  CHECK(evaluator.cost({0, 1}, {{{0}, {1}}}) == Cost{0, 1});
  CHECK(evaluator.best_turns().tasks == Lists{{0}, {1}});
  CHECK(evaluator.cost({0, 0}) == Cost{0, 2});  // none are left from before
  CHECK(evaluator.tried() == 4);
  evaluator.begin_anew();
  CHECK(evaluator.best_turns().tasks.empty());
}

// With a memory that one group fills nearly: its first node takes room for all.
TEST_CASE("every placer keeps groups together", "[placement][placers][groups]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Graph graph = random_graph(14, 0.2, seed);
    for (const std::size_t node : {2, 7, 13}) graph.nodes[node].group = "a";
    for (const std::size_t node : {4, 5}) graph.nodes[node].group = "b";
    for (const std::size_t node : {2, 3, 13}) graph.nodes[node].param_bytes = 500;
    Cluster cluster = devices(3, 4);
    for (Device& device : cluster.devices) device.memory = seed > 0 ? 3200 : 0;
    const std::vector<std::string> orders{"topo", "reversed-topo"};
    for (const Found& found : place({graph, cluster, true, orders, all_placers(), 600, 1, {}, free_readers})) {
      INFO(found.text() << ", seed " << seed);
      CHECK(found.placement[2] == found.placement[7]);
      CHECK(found.placement[2] == found.placement[13]);
      CHECK(found.placement[4] == found.placement[5]);
      const bool is_by_list = found.placer == "etf" || found.placer == "heft" || found.placer == "sct";
      if (is_by_list) CHECK(found.cost.excess == 0);
    }
  }
}

// Two nodes of 3 s one after the other, three of them together.
TEST_CASE("a group is a bound", "[placement][groups]") {
  Graph graph = graph_of("abcd", {"ab", "cd"});
  CHECK(bounds_of(graph, devices(4), true).most() == 6);
  graph.nodes[0].group = graph.nodes[2].group = graph.nodes[3].group = "one";
  CHECK(bounds_of(graph, devices(4), true).largest == 9);
}

// Two chains that never meet: beside each other 6 s and not 12, unless a transfer would take longer than it gains.
TEST_CASE("list scheduling sends what pays", "[placement][placers]") {
  Graph graph = graph_of("sabcd", {"sa", "sc", "ab", "cd"});
  for (Node& node : graph.nodes) node.out_bytes = 1;
  const Cluster fast = devices(2, 1000), slow = devices(2, 0.01);
  const Step step = training_step(graph);
  for (const auto placer : {earliest_task_first, earliest_finish}) {
    CHECK(Simulator(step, fast).seconds(placer(step, fast).placement) == Approx(9.002));
    CHECK(Simulator(step, slow).seconds(placer(step, slow).placement) == 15);
  }
}

TEST_CASE("a device without room is left out", "[placement][placers]") {
  Graph graph = graph_of("abcd", {"ab", "bc", "cd"});
  for (Node& node : graph.nodes) node.param_bytes = 100;
  Cluster cluster = devices(2, 1);
  for (Device& device : cluster.devices) device.memory = 700;  // two nodes with gradients and momentum
  const std::vector<std::string> orders{"topo"};
  const auto found = place({graph, cluster, true, orders, all_placers(), 500, 1, {}, free_readers});
  CHECK(found.front().cost.excess > 0);
  CHECK(best_of(found).cost == Cost{0, 12});
  for (const Found& one : found) {
    INFO(one.placer);
    if (one.placer == "etf" || one.placer == "sct" || one.placer == "heft" || one.placer == "greedy")
      CHECK(one.cost.excess == 0);
  }
}

// Without gradients and momentum a node takes 100 bytes: five fit on one device, and the sixth on the other.
TEST_CASE("inference needs room for the parameters alone", "[placement][placers]") {
  Graph graph = graph_of("abcdef", {"ab", "bc", "cd", "de", "ef"});
  for (Node& node : graph.nodes) node.param_bytes = 100;
  Cluster cluster = devices(2, 1);
  cluster.devices[0].memory = 500;
  cluster.devices[1].memory = 100;
  const std::vector<std::string> orders{"topo"}, placers{"etf", "heft"};
  for (const Found& found : place({graph, cluster, false, orders, placers, 10, 1})) {
    INFO(found.placer);
    CHECK((found.cost.excess == 0) == (found.placer != "single"));
  }
}

TEST_CASE("placers try no more placements than they may", "[placement][placers]") {
  const Graph graph = random_graph(40, 0.1, 3);
  const Cluster cluster = devices(3, 1);
  const std::vector<std::string> orders{"topo", "bfs"};
  for (const Found& found : place({graph, cluster, true, orders, all_placers(), 100, 1, {}, free_readers})) {
    INFO(found.placer);
    CHECK(found.evaluations <= 100);
    CHECK(found.evaluations > 0);
  }
}

TEST_CASE("the same request finds the same", "[placement][placers]") {
  const Graph graph = random_graph(30, 0.1, 5);
  const Cluster cluster = devices(3, 1);
  const std::vector<std::string> orders{"topo"};
  const auto once = place({graph, cluster, true, orders, all_placers(), 300, 9, {}, free_readers});
  const auto again = place({graph, cluster, true, orders, all_placers(), 300, 9, {}, free_readers});
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(once[i].placement == again[i].placement);
}

}  // namespace dlrun::placement
