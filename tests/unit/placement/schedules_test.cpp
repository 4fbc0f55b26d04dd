// SPDX-License-Identifier: Apache-2.0
// Pipelines in closed form: P balanced stages without communication take (m + P − 1)(F + B).
#include "placement/schedules.hpp"

#include <numeric>

#include "support/catch.hpp"

namespace schedules_test {

using namespace dlrun::placement;

namespace {

/// A chain, one node a device: forward 2 m and backward 4 m seconds, so that a microbatch takes 2 and 4; 1000 m bytes.
Graph chain(int nodes, int parts) {
  Graph graph;
  for (int i = 0; i < nodes; ++i) {
    graph.nodes.push_back({"n" + std::to_string(i), "linear", 2.0 * parts, 4.0 * parts, 1000 * parts, 0});
    if (i > 0) graph.edges.emplace_back(i - 1, i);
  }
  return graph;
}

Cluster without_delay(int devices) {
  Cluster cluster = equal_devices(devices, "nvlink3");
  cluster.link.latency = 0;
  cluster.link.bandwidth = 1e300;
  return cluster;
}

Outcome play(int stages, int parts, PipelineSchedule schedule) {
  const Graph graph = chain(stages, parts);
  const Cluster cluster = without_delay(stages);
  Placement placement(std::size_t(stages), 0);
  std::iota(placement.begin(), placement.end(), 0);
  const Step step = training_step(graph, parts);
  Simulator simulator(step, cluster);
  simulator.follow({scheduled(graph, parts, placement, stages_of(graph, placement, stages), schedule)});
  return simulator.outcome(placement);
}

}  // namespace

TEST_CASE("balanced stages take (m + P - 1)(F + B) under both schedules", "[placement][pipeline]") {
  const auto [stages, parts] = GENERATE(table<int, int>({{1, 1}, {2, 1}, {2, 5}, {4, 4}, {4, 8}, {4, 3}, {3, 16}}));
  for (const PipelineSchedule schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
    INFO(stages << " stages, " << parts << " parts, " << kScheduleNames[std::size_t(schedule)]);
    CHECK(play(stages, parts, schedule).seconds == Approx((parts + stages - 1) * 6.0));
  }
}

TEST_CASE("1f1b holds outputs of no more parts than there are stages from there on", "[placement][pipeline]") {
  // The last stage holds, of each part, its own output, the gradient it makes of it, and its input's copy.
  const Outcome gpipe = play(4, 16, PipelineSchedule::gpipe), flush = play(4, 16, PipelineSchedule::one_f_one_b);
  CHECK(gpipe.peak[0] >= 16 * 1000);
  CHECK(flush.peak[0] <= (4 + 2) * 1000);  // four parts' outputs, and a gradient that comes
  CHECK(flush.peak[0] >= 4 * 1000);
  CHECK(flush.peak[3] <= 5 * 1000);
  CHECK(gpipe.peak[3] >= 2 * 16 * 1000);
}

TEST_CASE("stages count along the longest way, and must not go back", "[placement][pipeline]") {
  const Graph graph = chain(4, 1);
  CHECK(stages_of(graph, {2, 2, 0, 1}, 4) == std::vector<int>{1, 2, 0, -1});
  CHECK(stages_of(graph, {0, 1, 0, 1}, 2).empty());
}

TEST_CASE("one part is the step as it was", "[placement][pipeline]") {
  const Graph graph = chain(3, 1);
  const Step one = training_step(graph), part = training_step(graph, 1);
  CHECK(one.tasks.size() == 6);
  CHECK(part.tensors.size() == one.tensors.size());
  CHECK(training_step(graph, 4).tasks.size() == 24);
  CHECK(training_step(graph, 4).tensors.front().bytes == 250);
}

}  // namespace schedules_test
