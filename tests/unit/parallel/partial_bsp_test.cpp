// SPDX-License-Identifier: Apache-2.0
// BSP whose rounds end without their slowest gradients, by numbers that were worked out by hand.
#include <numeric>

#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace partial_bsp_test {

using namespace parallel_test;

namespace {

/// Gradients of 10 ms; the last rank needs `factor` times as long.
Setting setting_of(int ranks, int dropped, double factor = 1) {
  Setting setting;
  setting.parallel = {.method = Bsp{.drop_slowest = dropped}, .ranks = ranks};
  setting.cluster = lock_step();
  setting.cluster.gradient_ms = 10;
  if (factor != 1) setting.cluster.stragglers = {{ranks - 1, factor}};
  return setting;
}

}  // namespace

TEST_CASE("rounds do not wait for a rank that is ten times as slow, and drop what it sends", "[parallel]") {
  Run<double> run(setting_of(4, 1, 10));
  run.epoch(310);
  // Three fast ranks make a round in 10 ms and the slow one a gradient in 100, which is ten rounds old. In 1 s that is
  // 300 gradients of 100 rounds, and 10 that are dropped: 310 batches.
  CHECK(run.cluster.now() == Approx(1.0).margin(0.011));
  const Server<double>& server = run.members.servers.front();
  CHECK(server.clock == 100);
  CHECK(server.counts[3] >= 9);
  CHECK(server.counts[3] <= 10);
  CHECK(server.counts[0] == 0);
}

TEST_CASE("a round of those that count is one machine's step with their batches", "[parallel]") {
  // One of two ranks counts, the faster one: it has each batch but the one that the other computes for ever.
  Setting setting = setting_of(2, 1, 1e6);
  setting.parallel.lr_scale = "none";
  Run<double> run(setting);
  run.epoch(12);
  Toy<double> toy(4);
  std::vector<double> weights = initial<double>();
  for (std::int64_t k = 0; k < 12; ++k) {
    if (k == 1) continue;
    toy.step(0, {0, weights.size(), 1}, weights, toy.gradient(0, k, weights).numbers, 1);
  }
  CHECK(distance(run.cluster.model(), weights) < 1e-15);
}

TEST_CASE("the learning rate counts the gradients of a round", "[parallel]") {
  CHECK(rate_of({.method = Bsp{.drop_slowest = 2}, .ranks = 6}) == 4);
  CHECK_FALSE(steps_by_mean(Bsp{.drop_slowest = 2}));
}

TEST_CASE("another epoch goes on from the rounds of the one before", "[parallel]") {
  Run<double> run(setting_of(4, 1, 10));
  run.epoch(31);
  const std::int64_t before = run.members.servers.front().clock;
  run.epoch(31);
  CHECK(before >= 9);
  CHECK(run.members.servers.front().clock >= 2 * before - 1);
}

TEST_CASE("a rank that is not through with its list makes the last rounds alone", "[parallel][lists]") {
  Run<double> run(setting_of(4, 1, 2.5));
  const Deal deal({2, 2, 2, 4});
  run.gang.lists = deal.lists();
  run.cluster.begin(deal);
  while (run.cluster.advance()) continue;
  run.cluster.end();
  // Two rounds of three ranks last until 20 ms. The gradient of 25 ms is late, the ones of 50, 75 and 100 ms are
  // rounds.
  CHECK(run.cluster.started() == 10);
  CHECK(run.cluster.now() == Approx(0.1).margin(1e-9));
  const Server<double>& server = run.members.servers.front();
  CHECK(server.clock == 5);
  CHECK(server.counts == std::vector<std::int64_t>{0, 0, 0, 1});
}

}  // namespace partial_bsp_test
