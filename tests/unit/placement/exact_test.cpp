// SPDX-License-Identifier: Apache-2.0
#include "placement/exact.hpp"

#include <cmath>

#include "placement/branching.hpp"
#include "placement/portfolio.hpp"
#include "placement/scheduling_model.hpp"
#include "support/catch.hpp"
#include "support/cpsat.hpp"
#include "unit/placement/graphs.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr std::int64_t kPlenty = 1'000'000;

Cluster some_devices(int count, bool broadcasts = false) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i)});
  cluster.link = {"test", 0.25, 2, 0.5, broadcasts};
  cluster.task_gap = broadcasts ? 0.125 : 0;
  return cluster;
}

Cost least_of_all(const Step& step, const Cluster& cluster) {
  Evaluator evaluator(step, cluster, kPlenty);
  const int devices = cluster.size();
  for (int code = 0; code < int(std::pow(devices, step.nodes())); ++code) {
    Placement placement;
    for (int rest = code, node = 0; node < step.nodes(); ++node, rest /= devices) placement.push_back(rest % devices);
    evaluator.cost(placement);
  }
  return evaluator.best_cost();
}

/// What CP-SAT proves of a step: no less than this.
double bound_by_solver(const cpsat::Solver& solver, const Step& step, const Cluster& cluster) {
  const Placement known(std::size_t(step.nodes()), 0);
  const SchedulingModel model = scheduling_model(step, cluster, known, Simulator(step, cluster).seconds(known));
  return solver.solve(model.model, {}).least * model.tick;
}

}  // namespace

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

TEST_CASE("branching that may not try enough proves nothing", "[placement][exact]") {
  const Step step = training_step(random_graph(10, 0.1, 1));
  const Cluster cluster = some_devices(2);
  Evaluator evaluator(step, cluster, 3);
  CHECK_FALSE(try_all(evaluator));
  CHECK(evaluator.tried() == 3);
}

TEST_CASE("the exact placer is no worse than any other, and its bound is the best", "[placement][exact]") {
  const Graph graph = random_graph(9, 0.2, 4);
  const Cluster cluster = some_devices(2);
  const auto found = place({graph, cluster, true, {"topo"}, {"greedy", "etf", "exact"}, 100'000, 1});
  CHECK(found.back().placer == "exact");
  CHECK(best_of(found).cost == found.back().cost);
  CHECK(found.back().bound == found.back().cost.seconds);
}

TEST_CASE("a graph too large for branching needs the solver", "[placement][exact]") {
  const Graph graph = random_graph(13, 0.2, 4);
  const Cluster cluster = some_devices(2);
  CHECK_THROWS_WITH(place({graph, cluster, true, {"topo"}, {"exact"}, 100, 1}),
                    "exact places 12 nodes by itself, and 13 only with the solver CP-SAT, which is not there");
}

// a - b, a - c, both - d, forward alone: 1 s each, a transfer 1 s. On one device 4 s. With c on the other its output
// comes late whatever holds d. At 0.25 s a transfer c and d on the other device end at 1 + 0.25 + 1 + 1.
TEST_CASE("CP-SAT proves what is worked out by hand", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd"});
  for (Node& node : graph.nodes) node.out_bytes = 4;
  const Step step = inference_step(graph);
  Cluster cluster = some_devices(2);
  cluster.link = {"test", 0, 4};
  CHECK(bound_by_solver(*solver, step, cluster) == Approx(4).epsilon(1e-5));
  cluster.link.bandwidth = 16;
  CHECK(bound_by_solver(*solver, step, cluster) == Approx(3.25).epsilon(1e-5));
  cluster.devices[0].memory = cluster.devices[1].memory = 1;
  for (Node& node : graph.nodes) node.param_bytes = 1;  // two devices cannot hold four nodes' parameters
  const Step heavy = inference_step(graph);
  const SchedulingModel model = scheduling_model(heavy, cluster, {0, 0, 0, 0}, 9);
  CHECK(solver->solve(model.model, {}).is_impossible);
}

// Devices that take what could begin first are slower here and there than a schedule may be: by a few per cent.
TEST_CASE("CP-SAT's bound is below the best of all placements, and near it", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Step step = training_step(random_graph(6, 0.35, seed));
    const int devices = seed % 2 == 0 ? 2 : 3;
    const Cluster cluster = some_devices(devices, seed % 3 == 0);
    const double least = least_of_all(step, cluster).seconds, bound = bound_by_solver(*solver, step, cluster);
    INFO("seed " << seed);
    CHECK(bound <= least);
    most = std::max(most, least / bound - 1);
  }
  CHECK(most < 0.05);
}

TEST_CASE("with CP-SAT larger graphs have a bound, the same on every run", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  const Graph graph = random_graph(16, 0.15, 2);
  const Cluster cluster = some_devices(2);
  const auto once = place({graph, cluster, true, {"topo"}, {"exact"}, 10'000, 1, {&*solver, 1}});
  const auto again = place({graph, cluster, true, {"topo"}, {"exact"}, 10'000, 1, {&*solver, 1}});
  CHECK(once.back().bound >= bounds_of(graph, cluster, true).most() * (1 - 1e-4));
  CHECK(once.back().bound <= once.back().cost.seconds);
  CHECK(once.back().placement == again.back().placement);
  CHECK(once.back().bound == again.back().bound);
}

}  // namespace dlrun::placement
