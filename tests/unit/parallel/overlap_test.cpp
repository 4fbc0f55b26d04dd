// SPDX-License-Identifier: Apache-2.0
// Sharding and overlap change when numbers travel, and no number.
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

}  // namespace overlap_test
