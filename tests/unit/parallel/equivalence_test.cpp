// SPDX-License-Identifier: Apache-2.0
// Algorithms that must agree with plain SGD or with each other.
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace equivalence_test {

using namespace parallel_test;

namespace {

Setting setting(Method method, int ranks, double momentum = 0) {
  Setting made;
  made.parallel = {.method = std::move(method), .ranks = ranks, .lr_scale = "none"};
  made.momentum = momentum;
  return made;
}

/// Rank 1 is slow, so nothing comes in order.
Setting uneven(Setting made) {
  made.cluster.stragglers = {{1, 2.7}};
  return made;
}

}  // namespace

TEST_CASE("bsp with four ranks is one machine with the fourfold batch, in double to 1e-12") {
  const std::vector<double> one = alone<double>(16, 400, 0.05, 0.9);
  CHECK(distance(trained<double>(setting(Bsp{}, 4, 0.9), 1600), one) <= 1e-12);
  CHECK(distance(trained<double>(uneven(setting(Bsp{}, 4, 0.9)), 1600), one) <= 1e-12);
  CHECK(distance(trained<double>(setting(Bsp{.momentum = "worker"}, 4), 1600), alone<double>(16, 400, 0.05)) <= 1e-12);
  CHECK(distance(one, initial<double>()) > 0.1);  // something was learned
}

TEST_CASE("a last round of fewer batches than ranks is the mean over its examples") {
  std::vector<double> one = alone<double>(16, 3, 0.05);
  Toy<double> toy(8, 0.05);
  toy.step(0, {0, one.size(), 1}, one, toy.gradient(0, 6, one).numbers, 1);  // rows 48 to 55: batches 12 and 13 of 4
  CHECK(distance(trained<double>(setting(Bsp{}, 4), 14), one) <= 1e-12);
  CHECK(distance(trained<double>(setting(ArSgd{}, 4), 14), one) <= 1e-12);
}

TEST_CASE("ar_sgd is bsp: to the bit where each rank sums its part, to rounding where parts go round") {
  const auto bsp = trained<float>(setting(Bsp{}, 3, 0.9), 300);
  CHECK(distance(trained<float>(setting(ArSgd{}, 3, 0.9), 300), bsp) == 0);
  CHECK(distance(trained<float>(uneven(setting(ArSgd{}, 3, 0.9)), 300), bsp) == 0);
  const auto in_double = trained<double>(setting(Bsp{}, 3, 0.9), 300);
  for (const int ranks : {2, 3, 5}) {
    const auto direct = trained<double>(setting(Bsp{}, ranks, 0.9), 300);
    CHECK(distance(trained<double>(setting(ArSgd{.reduce = "ring"}, ranks, 0.9), 300), direct) <= 1e-12);
  }
  CHECK(distance(in_double, initial<double>()) > 0.1);
}

TEST_CASE("ssp without staleness is bsp in both readings, and without a bound asp") {
  const auto bsp = trained<double>(setting(Bsp{}, 4), 400);
  for (const char* read : {"every_iter", "on_stale"}) {
    CHECK(distance(trained<double>(uneven(setting(Ssp{.staleness = 0, .read = read}, 4)), 400), bsp) <= 1e-12);
  }
  const int never = 1'000'000;
  const auto asp = trained<double>(uneven(setting(Asp{}, 4)), 400);
  CHECK(distance(trained<double>(uneven(setting(Ssp{.staleness = never}, 4)), 400), asp) == 0);
  CHECK(distance(asp, bsp) > 1e-6);
}

TEST_CASE("ssp that never fetches leaves every rank alone") {
  Run<double> run(setting(Ssp{.staleness = 1'000'000, .read = "on_stale"}, 2));
  run.cluster.begin(200);
  while (run.cluster.advance()) continue;
  for (const auto& rank : run.members.ranks) CHECK(distance(rank.weights, initial<double>()) > 0.01);
  Run<double> gossip(setting(GoSgd{.probability = 0}, 2));
  gossip.epoch(200);
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(distance(run.members.ranks[std::size_t(rank)].weights, gossip.members.ranks[std::size_t(rank)].weights) == 0);
  }
}

TEST_CASE("one rank, or ranks that never meet, train as one machine does") {
  const auto one = alone<double>(4, 100, 0.05, 0.9);
  for (const Method& method :
       {Method(Asp{}), Method(Asp{.momentum = "server"}), Method(Bsp{}), Method(ArSgd{}), Method(Easgd{.beta = 0}),
        Method(GoSgd{}), Method(Sgp{}), Method(Sgp{.overlap = 0}), Method(Aladdin{.pushes = 1'000'000}),
        Method(LocalSgd{}), Method(AdPsgd{}), Method(Shat{})}) {
    INFO(method.index());
    CHECK(distance(trained<double>(setting(method, 1, 0.9), 100), one) <= 1e-14);
  }
}

TEST_CASE("local_sgd and diloco that average at every step are bsp") {
  const auto bsp = trained<double>(setting(Bsp{}, 4), 400);
  CHECK(distance(trained<double>(setting(LocalSgd{.period = 1}, 4), 400), bsp) <= 1e-12);
  const DiLoCo plain{.period = 1, .outer_lr = 1, .outer_momentum = 0};
  CHECK(distance(trained<double>(setting(plain, 4), 400), bsp) <= 1e-12);
  CHECK(distance(trained<double>(setting(LocalSgd{.period = 5}, 4), 400), bsp) > 1e-6);
}

TEST_CASE("diloco's outer optimiser is SGD with Nesterov's momentum") {
  Setting made = setting(DiLoCo{.period = 1, .outer_lr = 0.5, .outer_momentum = 0.9}, 2);
  std::vector<double> x = initial<double>(), v(x.size());
  Toy<double> toy(8, 1);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> g = toy.gradient(0, k, x).numbers;  // two ranks of four rows are one of eight
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double outer = 0.05 * g[i];
      v[i] = 0.9 * v[i] + outer;
      x[i] -= 0.5 * (outer + 0.9 * v[i]);
    }
  }
  CHECK(distance(trained<double>(made, 100), x) <= 1e-12);
}

TEST_CASE("shards change nothing where all ranks go in step") {
  Setting made = setting(Bsp{}, 3, 0.9);
  const auto whole = trained<float>(made, 300);
  made.parallel.sharding = {.by = "memory", .servers = 3};
  CHECK(distance(trained<float>(made, 300), whole) == 0);
}

TEST_CASE("the learning rate is multiplied for methods that average often") {
  Setting made = setting(Bsp{}, 4);
  made.parallel.lr_scale = "auto";
  CHECK(distance(trained<double>(made, 400), alone<double>(16, 100, 0.2)) <= 1e-12);
  made.parallel.lr_scale = "sqrt";
  CHECK(distance(trained<double>(made, 400), alone<double>(16, 100, 0.1)) <= 1e-12);
  CHECK(rate_of({.method = Easgd{}, .ranks = 8}) == 1);
  CHECK(rate_of({.method = Aladdin{}, .ranks = 8}) == 8);
}

}  // namespace equivalence_test
