// SPDX-License-Identifier: Apache-2.0
#include "placement/small_communication.hpp"

#include "placement/list_scheduling.hpp"
#include "placement/portfolio.hpp"
#include "support/catch.hpp"
#include "unit/placement/free_readers.hpp"
#include "unit/placement/waiting.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr int kNone = kNoFavourite;

/// Bytes of parameters and outputs on the fullest device of a step.
std::int64_t most_held(const Graph& graph, const Step& step, const Placement& placement, int devices) {
  std::vector<std::int64_t> held(std::size_t(devices), 0);
  for (int node = 0; node < graph.size(); ++node)
    held[std::size_t(placement[std::size_t(node)])] +=
        step.held_params(node) + graph.nodes[std::size_t(node)].out_bytes;
  return *std::max_element(held.begin(), held.end());
}

}  // namespace

// Earliest task first begins t at 2 s beside f's inputs, and f at 5 s: 15 s. With the favourite a -> f the device of a
// computes nothing until 2.5 s, then f until 12.5 s; t begins on the other device at 6 s.
TEST_CASE("a device waits for the favourite child of its last task", "[placement][placers]") {
  const Step step = inference_step(waiting_graph());
  const Cluster cluster = waiting_cluster();
  const auto [waits, tasks] = small_communication_times(step, cluster, {2, kNone, kNone, kNone});
  CHECK(waits == Placement{0, 1, 0, 1});
  CHECK(tasks == Lists{{0, 2}, {1, 3}});
  CHECK(Simulator(step, cluster).seconds(waits) == 12.5);
  const Placement first = earliest_task_first(step, cluster).placement;
  CHECK(first == Placement{0, 1, 0, 0});
  CHECK(Simulator(step, cluster).seconds(first) == 15);
  CHECK(small_communication_times(step, cluster, {3, kNone, kNone, kNone}).placement == first);
}

// The device of a begins t at 2 s, and f begins on the other at 6 s. Did the first wait, t would go to the other, too.
TEST_CASE("a device without room for a favourite child does not wait for it", "[placement][placers]") {
  Graph graph = waiting_graph();
  std::swap(graph.nodes[2], graph.nodes[3]);  // t has the lower number
  graph.edges = {{0, 3}, {1, 3}, {0, 2}};
  graph.nodes[3].param_bytes = 100;
  Cluster cluster = waiting_cluster();
  cluster.devices[0].memory = 50;
  CHECK(small_communication_times(inference_step(graph), cluster, {3, kNone, kNone, kNone}).placement ==
        Placement{0, 1, 0, 1});
}

// The device of a waits from 2 s until f begins at 2.5 s. The other computes z until 2 s, y until 2.25 s and then v. If
// y sends nothing, u can begin on both at 2.25 s, and the waiting device takes it; f begins there at 3.25 s. If y sends
// for 0.5 s, u is late for that; and if y ends at 2.5 s, u could begin no earlier than f.
TEST_CASE("a device that waits takes what may begin everywhere before", "[placement][placers]") {
  Graph graph = graph_of("azyvuf", {"af", "zf", "zy", "zv", "yu"});
  const double seconds[] = {2, 2, 0.25, 5, 1, 10};
  for (int i = 0; i < graph.size(); ++i) graph.nodes[std::size_t(i)].forward = seconds[i];
  graph.nodes[0].out_bytes = 8;
  graph.nodes[1].out_bytes = 1;
  const Favourites favourites{5, kNone, kNone, kNone, kNone, kNone};
  const Cluster cluster = waiting_cluster();
  CHECK(small_communication_times(inference_step(graph), cluster, favourites).placement == Placement{0, 1, 1, 1, 0, 0});
  graph.nodes[2].out_bytes = 1;
  CHECK(small_communication_times(inference_step(graph), cluster, favourites).placement == Placement{0, 1, 1, 1, 1, 0});
  graph.nodes[2].out_bytes = 0;
  graph.nodes[2].forward = 0.5;
  CHECK(small_communication_times(inference_step(graph), cluster, favourites).placement == Placement{0, 1, 1, 1, 1, 0});
}

// Each device has room for its share of all bytes and the largest node, so one of them always has room.
TEST_CASE("devices that wait keep to their memory", "[placement][placers]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const int devices = 2 + int(seed % 2);
    Graph graph = random_graph(24, 0.15, seed);
    RandomStream chance(seed, {"bytes"});
    for (Node& node : graph.nodes) node.param_bytes = 10 + std::int64_t(chance.below(30));
    const Step step = training_step(graph);
    std::int64_t all = 0, largest = 0;
    for (int node = 0; node < graph.size(); ++node) {
      const std::int64_t bytes = step.held_params(node) + graph.nodes[std::size_t(node)].out_bytes;
      all += bytes;
      largest = std::max(largest, bytes);
    }
    Cluster cluster{std::vector<Device>(std::size_t(devices)), {"test", 0, 0.5}};
    for (Device& device : cluster.devices) device.memory = all / devices + largest + 1;
    const Favourites favourites = free_readers(graph, cluster, true);
    INFO("seed " << seed);
    const Placement placement = small_communication_times(step, cluster, favourites).placement;
    CHECK(most_held(graph, step, placement, devices) <= cluster.devices[0].memory);
  }
}

TEST_CASE("sct needs what finds favourite children", "[placement][placers]") {
  const Graph graph = waiting_graph();
  const Cluster cluster = waiting_cluster();
  CHECK_THROWS_WITH(place({graph, cluster, false, {}, {"sct"}, 1, 1}),
                    "sct needs the solver CP-SAT, which only dlrun place asks");
  const auto found = place({graph, cluster, false, {}, {"etf", "sct"}, 1, 1, {}, free_readers});
  CHECK(found.back().placer == "sct");
  CHECK(best_of(found).text() == "sct");
  CHECK(found.back().cost == Cost{0, 12.5});
}

}  // namespace dlrun::placement
