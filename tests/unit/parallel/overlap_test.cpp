// SPDX-License-Identifier: Apache-2.0
// Sharding, overlap and local aggregation change when numbers travel, and no number.
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace overlap_test {

using namespace parallel_test;

namespace {

/// A model of three layers, on a network that matters.
Setting layered(Method method, int ranks) {
  Setting made;
  made.parallel = {.method = std::move(method), .ranks = ranks, .lr_scale = "none"};
  made.momentum = 0.9;
  made.layers = {{2, 8, 1}, {3, 12, 2}, {2, 8, 1}};
  made.model_bytes = 2e6;
  made.cluster.ranks_per_host = 2;
  return made;
}

double duration(const Setting& setting, std::int64_t batches) {
  Run<float> run(setting);
  run.epoch(batches);
  return run.cluster.now();
}

}  // namespace

TEST_CASE("sharding and overlap leave every bit where ranks go in step", "[parallel][overlap]") {
  for (const Method& method : {Method(Bsp{}), Method(Bsp{.momentum = "worker"}), Method(ArSgd{})}) {
    Setting made = layered(method, 3);
    const auto plain = trained<float>(made, 302);
    for (const char* by : {"none", "layer", "memory"}) {
      for (const int servers : {1, 2, 5}) {
        made.parallel.sharding = {.by = by, .servers = servers, .most_bytes = 10, .is_wait_free = true};
        INFO(method.index() << by << servers);
        CHECK(distance(trained<float>(made, 302), plain) == 0);
      }
    }
  }
}

TEST_CASE("overlap leaves every bit of one asynchronous rank", "[parallel][overlap]") {
  for (const Method& method : {Method(Asp{.momentum = "server"}), Method(Ssp{.momentum = "server"}),
                               Method(Ssp{.read = "on_stale", .momentum = "server"}), Method(Asp{})}) {
    Setting made = layered(method, 1);
    const auto plain = trained<float>(made, 100);
    made.parallel.sharding = {.by = "layer", .servers = 2, .is_wait_free = true};
    INFO(method.index());
    CHECK(distance(trained<float>(made, 100), plain) == 0);
  }
}

TEST_CASE("overlap hides time on the wires", "[parallel][overlap]") {
  for (const Method& method : {Method(Bsp{}), Method(ArSgd{}), Method(Asp{.momentum = "server"})}) {
    Setting made = layered(method, 4);
    made.parallel.sharding = {.by = "layer", .servers = 2, .most_bytes = 1e-3};
    const double plain = duration(made, 400);
    made.parallel.sharding.is_wait_free = true;
    INFO(method.index());
    CHECK(duration(made, 400) < 0.95 * plain);
  }
}

TEST_CASE("ranks that sum their gradients first train the same model with less traffic", "[parallel][aggregation]") {
  for (const int ranks : {1, 2, 3, 7, 8}) {
    for (const char* momentum : {"server", "worker"}) {
      Setting made = layered(Bsp{.momentum = momentum}, ranks);
      const auto plain = trained<double>(made, 301);
      made.parallel.aggregate = 4;
      made.parallel.sharding = {.by = "layer", .servers = 2, .is_wait_free = true};
      CHECK(distance(trained<double>(made, 301), plain) <= 1e-12);
    }
  }
  Setting made = layered(Bsp{}, 8);
  made.parallel.aggregate = 4;
  Run<float> run(made);
  run.epoch(80);
  double by_server = 0;
  for (int server = 8; server < run.gang.nodes(); ++server) by_server += run.cluster.cost(server).bytes;
  CHECK(by_server == Approx(2 * 10 * made.model_bytes));  // two groups, ten rounds
}

TEST_CASE("ranks of a group wait for its slowest one", "[parallel][aggregation]") {
  Setting made = layered(Bsp{}, 8);
  made.cluster.jitter = 0;
  made.cluster.latency_us = 0;
  made.model_bytes = 0;
  made.parallel.aggregate = 4;
  const double healthy = duration(made, 80);
  made.cluster.stragglers = {{5, 3}};
  CHECK(duration(made, 80) - healthy == Approx(10 * 0.02));
}

}  // namespace overlap_test
