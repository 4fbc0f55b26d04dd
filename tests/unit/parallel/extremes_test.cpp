// SPDX-License-Identifier: Apache-2.0
// Gangs of unusual shapes: every batch is trained on once, and every message comes in.
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"
#include "util/error.hpp"

namespace extremes_test {

using namespace parallel_test;

namespace {

std::vector<Method> all() {
  return {Bsp{},
          Bsp{.momentum = "worker"},
          ArSgd{},
          ArSgd{.reduce = "ring"},
          Asp{},
          Asp{.momentum = "server"},
          Ssp{.staleness = 1},
          Ssp{.staleness = 1, .read = "on_stale"},
          Ssp{.staleness = 1, .read = "on_stale", .momentum = "server"},
          Easgd{.period = 2},
          GoSgd{.probability = 0.5},
          AdPsgd{},
          Aladdin{.pushes = 2},
          Aladdin{.pushes = 2, .variant = "literal"},
          Shat{},
          Sgp{},
          Sgp{.overlap = 0},
          LocalSgd{.period = 2},
          DiLoCo{.period = 2}};
}

Setting unusual(const Method& method, int ranks) {
  Setting made;
  made.parallel = {.method = method, .ranks = ranks, .lr_scale = "none"};
  made.parallel.aggregate = 4;
  made.layers = {{2, 8, 1}, {3, 12, 2}, {2, 8, 1}};
  made.cluster.ranks_per_host = 3;
  made.cluster.hosts_per_card = 2;
  made.cluster.stragglers = {{ranks - 1, 4}};
  return made;
}

/// Two epochs, of which the second has fewer batches than ranks. @return batches that were trained on
std::int64_t batches_of(const Setting& setting) {
  Run<float> run(setting);
  run.epoch(2 * setting.parallel.ranks + 1);
  run.epoch(1);
  std::int64_t sum = 0;
  for (int rank = 0; rank < setting.parallel.ranks; ++rank) sum += run.cluster.cost(rank).gradients;
  for (const float weight : run.cluster.model()) CHECK(std::isfinite(weight));
  return sum;
}

}  // namespace

TEST_CASE("every method ends with all batches, whatever the number of ranks", "[parallel][extremes]") {
  for (const Method& method : all()) {
    for (const int ranks : {1, 2, 3, 24, 100}) {
      INFO(method.index() << " with " << ranks);
      Setting made = unusual(method, ranks);
      made.parallel.sharding = {.by = "memory", .servers = ranks == 3 ? 20 : 1};  // more servers than numbers
      CHECK(batches_of(made) == 2 * ranks + 2);
      made.parallel.sharding = {.by = "layer", .servers = 2, .is_wait_free = true};
      made.cluster.jitter = 0;
      CHECK(batches_of(made) == 2 * ranks + 2);
      made.cluster = lock_step();
      CHECK(batches_of(made) == 2 * ranks + 2);
    }
  }
}

TEST_CASE("a straggler beyond the last rank is an error that names both", "[parallel][extremes]") {
  Setting made = unusual(Bsp{}, 4);
  made.cluster.stragglers = {{4, 2}};
  CHECK_THROWS_WITH(Run<float>(made), "a straggler has rank 4, but the last rank is 3");
}

}  // namespace extremes_test
