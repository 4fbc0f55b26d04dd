// SPDX-License-Identifier: Apache-2.0
// Sums that an algorithm must keep, and means that it must equal, whatever the order of messages.
#include "parallel/models.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace conservation_test {

using namespace parallel_test;

namespace {

/// Ranks that differ and do not learn, with jitter.
struct Scattered : Run<double> {
  Scattered(Method method, int ranks) : Run<double>(setting(std::move(method), ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (double& weight : members.ranks[std::size_t(rank)].weights) weight += rank * rank + 0.1;
    }
  }

  static Setting setting(Method method, int ranks) {
    Setting made;
    made.parallel.method = std::move(method);
    made.parallel.ranks = ranks;
    made.lr = 0;
    made.cluster.jitter = 0.5;
    return made;
  }
};

double sum_of(const std::vector<double>& numbers, double factor = 1) {
  double sum = 0;
  for (const double number : numbers) sum += factor * number;
  return sum;
}

double sum_of(const Members<double>& members) {
  double sum = 0;
  for (const auto& rank : members.ranks) sum += sum_of(rank.weights);
  for (const auto& server : members.servers) sum += sum_of(server.weights);
  return sum;
}

double spread(const Members<double>& members) {
  return distance(members.ranks.front().weights, members.ranks.back().weights);
}

}  // namespace

TEST_CASE("easgd keeps the sum of ranks and centre, and draws them together") {
  Scattered run(Easgd{.period = 2}, 5);
  const double before = sum_of(run.members), apart = spread(run.members);
  run.epoch(500);
  CHECK(sum_of(run.members) == Approx(before).epsilon(1e-12));
  CHECK(spread(run.members) < apart / 10);
}

TEST_CASE("easgd moves rank and centre by beta / n of their distance") {
  Setting made;
  made.parallel = {.method = Easgd{.period = 1, .beta = 0.8}, .ranks = 2};
  made.lr = 0;
  Run<double> run(made);
  run.members.ranks[0].weights.assign(7, 1.0);
  run.members.servers[0].weights.assign(7, 0.0);
  run.epoch(1);
  CHECK(run.members.ranks[0].weights[3] == Approx(0.6).epsilon(1e-15));
  CHECK(run.members.servers[0].weights[3] == Approx(0.4).epsilon(1e-15));
}

TEST_CASE("gosgd keeps the sum of shares and of weighted weights") {
  Scattered run(GoSgd{.probability = 0.5}, 5);
  double before = 0;
  for (const auto& rank : run.members.ranks) before += sum_of(rank.weights, rank.weight);
  run.epoch(500);
  double shares = 0;
  for (const auto& rank : run.members.ranks) shares += rank.weight;
  CHECK(shares == Approx(1).epsilon(1e-12));
  CHECK(sum_of(run.cluster.model()) == Approx(before).epsilon(1e-12));
}

TEST_CASE("ad_psgd keeps the sum of ranks, also of an odd number, and brings them together") {
  for (const int ranks : {2, 5, 8}) {
    Scattered run(AdPsgd{}, ranks);
    const double before = sum_of(run.members);
    run.epoch(800);
    CHECK(sum_of(run.members) == Approx(before).epsilon(1e-12));
    CHECK(spread(run.members) < 1e-3);
  }
}

TEST_CASE("sgp keeps both of its sums, and every rank comes to the mean") {
  for (const int overlap : {0, 1}) {
    Scattered run(Sgp{.overlap = overlap}, 6);
    const std::vector<double> mean = mean_of(run.members.ranks);
    run.epoch(600);
    CHECK(distance(run.cluster.model(), mean) <= 1e-12 * 30);
    for (auto rank : run.members.ranks) {
      scale(rank.weights, 1 / rank.weight);
      CHECK(distance(rank.weights, mean) < 1e-6);
    }
  }
}

TEST_CASE("aladdin's server is the mean of its ranks after every round in lock-step") {
  Setting made;
  made.parallel = {.method = Aladdin{.pushes = 3}, .ranks = 4};
  made.cluster = lock_step();
  Run<double> run(made);
  for (int round = 1; round <= 30; ++round) {
    run.epoch(4);
    CHECK(distance(run.cluster.model(), mean_of(run.members.ranks)) <= 1e-12);
  }
  CHECK(distance(run.cluster.model(), initial<double>()) > 0.1);
}

TEST_CASE("aladdin mixes the server's model in by 1 - 1 / sqrt(n pi)") {
  Setting made;
  made.parallel = {.method = Aladdin{.pushes = 1}, .ranks = 4};
  made.lr = 0;
  made.cluster = lock_step();
  Run<double> run(made);
  run.members.ranks[2].weights.assign(7, 9.0);
  run.members.servers[0].weights.assign(7, 1.0);
  run.epoch(4);
  CHECK(run.members.ranks[2].weights[0] == Approx(9 - 0.5 * 8).epsilon(1e-12));  // α = 1 − 1/2
}

// In the listing each of four changes is taken in alone, so c = 1, and alpha 0 by it.
TEST_CASE("what the paper of aladdin leaves open is a setting each", "[parallel]") {
  Setting made;
  made.parallel.ranks = 4;
  made.cluster = lock_step();
  made.lr = 0;
  const auto mixed = [&](Aladdin method) {
    made.parallel.method = method;
    Run<double> run(made);
    run.members.ranks[2].weights.assign(7, 9.0);
    run.members.servers[0].weights.assign(7, 1.0);
    run.epoch(4);
    return run.members.ranks[2].weights[0];
  };
  CHECK(mixed({.pushes = 1, .variant = "literal"}) == 9);
  CHECK(mixed({.pushes = 1, .variant = "literal", .alpha = "n_pi"}) == Approx(9 - 0.5 * 8).epsilon(1e-12));
  made.lr = Setting().lr;
  const auto change = [&](Aladdin method, int steps) {
    made.parallel.method = method;
    Run<double> run(made);
    run.epoch(steps);
    return run.cluster.model()[0] - initial<double>()[0];
  };
  // Eight changes that nobody is due for weigh 1/8 each, and not 1/4.
  CHECK(change({.pushes = 100}, 8) != 0);
  CHECK(change({.pushes = 100, .lazy_scale = "1/c"}, 8) == Approx(change({.pushes = 100}, 8) / 2).epsilon(1e-9));
  CHECK(change({.pushes = 1, .mixing = false}, 4) != 0);
  CHECK(change({.pushes = 1, .mixing = false, .trigger = "dropped"}, 4) == 0);
}

TEST_CASE("aladdin without mixing leaves ranks apart, and its server is their mean") {
  Setting made;
  made.parallel.ranks = 4;
  made.cluster = lock_step();
  const auto after = [&](Aladdin method) {
    made.parallel.method = method;
    auto run = std::make_unique<Run<double>>(made);
    run->epoch(4);
    return run;
  };
  const auto whole = after({.pushes = 3});
  CHECK(distance(whole->members.servers[0].weights, initial<double>()) == 0);  // nobody is due after one push
  const auto apart = after({.pushes = 1, .mixing = false});
  CHECK(distance(apart->members.servers[0].weights, mean_of(apart->members.ranks)) <= 1e-12);
  CHECK(distance(apart->members.ranks[0].weights, apart->members.ranks[1].weights) > 1e-3);
}

TEST_CASE("aladdin's ranks sum changes that the server cannot take in yet, and lose none", "[parallel]") {
  Setting made;
  made.parallel = {.method = Aladdin{.pushes = 3, .mixing = false}, .ranks = 8, .lr_scale = "none"};
  made.cluster.apply_gbyte = 1e-6;  // 28 bytes take 28 ms, a gradient 10
  Run<double> run(made);
  run.epoch(801);
  CHECK(run.members.servers[0].clock == 801);
  CHECK(distance(run.cluster.model(), mean_of(run.members.ranks)) <= 1e-12);
  double sent = 0;
  for (int rank = 0; rank < 8; ++rank) sent += run.cluster.cost(rank).bytes / 28;
  CHECK(sent < 300);
  for (const auto& rank : run.members.ranks) CHECK((rank.unsent_count == 0 && rank.receipts_due == 0));
}

TEST_CASE("aladdin's server answers also where changes come faster than it takes them in") {
  Setting made;
  made.parallel.ranks = 4;
  made.cluster = lock_step();
  made.cluster.apply_gbyte = 28e-9 / 0.02;  // a change takes two gradients' time
  const auto spread_with = [&](bool is_mixing) {
    made.parallel.method = Aladdin{.pushes = 2, .mixing = is_mixing};
    Run<double> run(made);
    run.cluster.begin(400);
    while (run.cluster.started() < 400) run.cluster.advance();  // in the middle of the epoch
    return distance(run.members.ranks[0].weights, run.members.servers[0].weights);
  };
  CHECK(spread_with(true) < 0.7 * spread_with(false));
}

TEST_CASE("shat mixes by how many changes a rank has missed") {
  Setting made;
  made.parallel = {.method = Shat{}, .ranks = 8};
  made.lr = 0;
  made.cluster = lock_step();
  Run<double> run(made);
  run.members.ranks[7].weights.assign(7, 3.0);
  run.members.servers[0].weights.assign(7, 1.0);
  run.epoch(8);  // seven others came before it
  const double alpha = 1 - 8.0 / 7 / std::log(8.0);
  CHECK(run.members.ranks[7].weights[0] == Approx(3 - alpha * 2).epsilon(1e-12));
}

TEST_CASE("ssp lets nobody go further ahead than its staleness") {
  for (const char* read : {"every_iter", "on_stale"}) {
    Setting made;
    made.parallel = {.method = Ssp{.staleness = 2, .read = read}, .ranks = 3};
    made.cluster.stragglers = {{0, 20}};
    Run<double> run(made);
    std::int64_t most = 0;
    run.epoch(120, [&] {
      const auto& ranks = run.members.ranks;
      for (const auto& rank : ranks) most = std::max(most, rank.clock - ranks[0].clock);
    });
    CHECK(most == 3);  // two steps ahead, and one under way
  }
}

}  // namespace conservation_test
