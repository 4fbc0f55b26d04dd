// SPDX-License-Identifier: Apache-2.0
#include "exact/by_solver.hpp"

#include "exact/scheduling_model.hpp"
#include "placement/bounds.hpp"
#include "placement/portfolio.hpp"
#include "support/catch.hpp"
#include "support/cpsat.hpp"
#include "unit/placement/every_placement.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;

/// Seconds that no step beats, as CP-SAT proves.
double bound_by_solver(const cpsat::Solver& solver, const Step& step, const Cluster& cluster) {
  const Placement known(std::size_t(step.nodes()), 0);
  const SchedulingModel model = scheduling_model(step, cluster, known, Simulator(step, cluster).seconds(known));
  return solver.solve(model.model, {}).least * model.tick;
}

}  // namespace

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

// Forward alone, 1 s each on device 0 and a quarter on device 1: all there take 1 s. With room for three nodes on each,
// a goes to device 0: 1, its output travels 0.5, then three quarters. With d there two outputs would travel (2.5), with
// b one there and one back (2.5).
TEST_CASE("CP-SAT knows speeds and links of unequal devices", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Graph graph = graph_of("abcd", {"ab", "ac", "bd", "cd"});
  for (Node& node : graph.nodes) node.out_bytes = 4;
  Cluster cluster = some_devices(2);
  cluster.devices[1].speed = 4;
  cluster.link = {"test", 0, 1e9};
  cluster.pairs[{0, 1}] = {"slow", 0.5, 1e9};
  CHECK(bound_by_solver(*solver, inference_step(graph), cluster) == Approx(1).epsilon(1e-5));
  for (Node& node : graph.nodes) node.param_bytes = 1;
  cluster.devices[0].memory = cluster.devices[1].memory = 3;
  const Step heavy = inference_step(graph);
  const SchedulingModel model = scheduling_model(heavy, cluster, {0, 0, 1, 1}, 9);
  CHECK(solver->solve(model.model, {}).least * model.tick == Approx(2.25).epsilon(1e-5));
}

TEST_CASE("CP-SAT's bound on unequal devices is below the best of all placements, and near it", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Step step = training_step(random_graph(6, 0.35, seed));
    const Cluster cluster = unequal_devices(seed % 2 == 0 ? 2 : 3);
    const double least = least_of_all(step, cluster).seconds, bound = bound_by_solver(*solver, step, cluster);
    INFO("seed " << seed);
    CHECK(bound <= least);
    most = std::max(most, least / bound - 1);
  }
  CHECK(most < 0.05);
}

// Four nodes of 1 s without edges, forward alone: 2 s on two devices, 3 where three of them stay together. In random
// graphs few placements are left, so that it shows more that devices take what could begin first.
TEST_CASE("CP-SAT keeps groups together", "[placement][exact][groups]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Graph apart = graph_of("abcd", {});
  CHECK(bound_by_solver(*solver, inference_step(apart), some_devices(2)) == Approx(2).epsilon(1e-5));
  for (const std::size_t node : {0, 1, 3}) apart.nodes[node].group = "three";
  CHECK(bound_by_solver(*solver, inference_step(apart), some_devices(2)) == Approx(3).epsilon(1e-5));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Graph graph = with_groups(random_graph(6, 0.35, seed));
    const Step step = training_step(graph);
    const Cluster cluster = some_devices(seed % 2 == 0 ? 2 : 3);
    const double least = least_of_all(step, cluster).seconds;
    const Placement known(6, 0);
    const SchedulingModel model = scheduling_model(step, cluster, known, Simulator(step, cluster).seconds(known));
    const cpsat::Answer answer = solver->solve(model.model, {});
    INFO("seed " << seed);
    CHECK(are_together(graph, model.placement_of(answer.values)));
    CHECK(answer.least * model.tick <= least);
    CHECK(answer.least * model.tick > 0.85 * least);
  }
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

// Every task takes time here, so that none waits for a device which the solver does not see.
TEST_CASE("the placement that is found takes as long as is proven, in the solver's order", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  int in_turns = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = random_graph(7, 0.3, seed);
    const Step step = training_step(graph);
    Cluster cluster = seed % 4 == 3 ? unequal_devices(3) : some_devices(seed % 2 == 0 ? 2 : 3, seed % 3 == 0);
    cluster.task_gap = seed % 5 == 0 ? 0.25 : 0;
    Evaluator evaluator(step, cluster, kPlenty);
    const Placement start(7, 0);
    const Proof proof = prover(*solver, {20, 0})(evaluator, graph, start);
    INFO("seed " << seed);
    const double bound = bound_by_solver(*solver, step, cluster);
    CHECK(evaluator.best_cost().seconds >= bound * (1 - 1e-9));
    CHECK(evaluator.best_cost().seconds <= bound * (1 + 3e-4));
    CHECK(proof.is_by_solver);
    in_turns += !evaluator.best_turns().tasks.empty();
  }
  CHECK(in_turns >= 3);
}

// Inputs of models take no time, backward neither. The solver may let them begin while their device is busy.
TEST_CASE("tasks without seconds take their turn as soon as they can", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Graph graph = random_graph(8, 0.3, seed);
    for (const std::size_t node : {0, 1, 4}) graph.nodes[node].forward = graph.nodes[node].backward = 0;
    const Step step = training_step(graph);
    const Cluster cluster = some_devices(seed % 2 == 0 ? 2 : 3, seed % 3 == 0);
    Evaluator evaluator(step, cluster, kPlenty);
    const Placement start(8, 0);
    prover(*solver, {20, 0})(evaluator, graph, start);
    INFO("seed " << seed);
    const double bound = bound_by_solver(*solver, step, cluster);
    CHECK(evaluator.best_cost().seconds >= bound * (1 - 1e-9));
    CHECK(evaluator.best_cost().seconds <= bound * 1.01);
  }
}

// An expectation changes what is asked, and not what is answered.
TEST_CASE("expectations that are wrong either way end with the same least seconds", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  std::int64_t branches = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Graph graph = random_graph(6, 0.35, seed);
    const Step step = training_step(graph);
    const Cluster cluster = some_devices(seed % 2 == 0 ? 2 : 3);
    const double least = least_of_all(step, cluster).seconds, plain = bound_by_solver(*solver, step, cluster);
    for (const double wrong : {1e-200, 0.7, 0.97, 1.0, 1.3, 1e9}) {
      INFO("seed " << seed << ", expected " << wrong << " times the least");
      Evaluator evaluator(step, cluster, kPlenty);
      const Placement start(6, 0);
      const Proof proof = prover(*solver, {20, wrong * plain})(evaluator, graph, start);
      CHECK(proof.seconds == Approx(plain).epsilon(2e-4));
      CHECK(proof.seconds <= least * (1 + 1e-12));
      CHECK(proof.effort > 0);
      branches += proof.branches;  // some are solved without any
    }
  }
  CHECK(branches > 0);
}

TEST_CASE("where no placement fits nothing is proven, whatever is expected", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Graph graph = random_graph(6, 0.35, 1);
  for (Node& node : graph.nodes) node.param_bytes = 1000;
  Cluster cluster = some_devices(2);
  for (Device& device : cluster.devices) device.memory = 1000;
  const Step step = training_step(graph);
  for (const double expected : {0.0, 1.0, 1000.0}) {
    Evaluator evaluator(step, cluster, kPlenty);
    const Placement start(6, 0);
    CHECK(prover(*solver, {20, expected})(evaluator, graph, start).seconds == 0);
  }
}

TEST_CASE("with CP-SAT larger graphs have a bound, the same on every run", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  const Graph graph = random_graph(16, 0.15, 2);
  const Cluster cluster = some_devices(2);
  const auto once = place({graph, cluster, true, {"topo"}, {"exact"}, 10'000, 1, prover(*solver, {1})});
  const auto again = place({graph, cluster, true, {"topo"}, {"exact"}, 10'000, 1, prover(*solver, {1})});
  CHECK(once.back().proof.seconds >= bounds_of(graph, cluster, true).most() * (1 - 1e-4));
  CHECK(once.back().proof.seconds <= once.back().cost.seconds);
  CHECK(once.back().placement == again.back().placement);
  CHECK(once.back().proof.seconds == again.back().proof.seconds);
}

}  // namespace dlrun::exact
