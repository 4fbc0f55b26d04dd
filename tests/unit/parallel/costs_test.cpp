// SPDX-License-Identifier: Apache-2.0
// Where a rank's time goes, its bytes, and how stale its updates are; all numbers by hand.
#include "parallel/memory.hpp"
#include "parallel/regroup.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace costs_test {

using namespace parallel_test;

namespace {

Setting setting(Method method, int ranks, ClusterConfig cluster = lock_step()) {
  Setting made;
  made.parallel = {.method = std::move(method), .ranks = ranks};
  made.cluster = std::move(cluster);
  return made;
}

std::vector<Staleness> staleness(const Run<float>& run) {
  std::vector<Staleness> all;
  for (std::size_t rank = 0; rank < run.members.ranks.size(); ++rank) {
    all.push_back(run.members.ranks[rank].staleness);
    for (const auto& server : run.members.servers) all.back().add(server.staleness.seen()[rank]);
  }
  return all;
}

}  // namespace

TEST_CASE("a round of bsp is split into computing, taking in, transfers and waiting", "[parallel][costs]") {
  ClusterConfig cluster = lock_step();  // gradients take 10 ms
  cluster.stragglers = {{1, 3}};
  cluster.bandwidth_gbit = 0.8;  // 100 MB/s
  cluster.apply_gbyte = 1;
  Setting made = setting(Bsp{}, 2, cluster);
  made.model_bytes = 1e6;  // 10 ms from host to host, 1 ms to be taken in; rank 0 and the server share a host
  Run<float> run(made);
  run.epoch(2);  // one round
  const std::vector<Cost> costs = run.cluster.costs();
  REQUIRE(costs.size() == 3);
  // 0: rank 0 computes to 10 ms, when the server takes its gradient in, to 11 ms. Rank 1 computes to 30, sends to 40;
  // the server has it at 41. Rank 0 takes the weights in to 42. They are with rank 1 at 51, taken in at 52.
  CHECK(run.cluster.now() == Approx(0.052));
  CHECK(costs[0].seconds.computing == Approx(0.010));
  CHECK(costs[0].seconds.applying == Approx(0.001));
  CHECK(costs[0].seconds.transferring == Approx(0).margin(1e-12));
  CHECK(costs[0].seconds.waiting == Approx(0.041));
  CHECK(costs[1].seconds.computing == Approx(0.030));
  CHECK(costs[1].seconds.applying == Approx(0.001));
  CHECK(costs[1].seconds.transferring == Approx(0.020));
  CHECK(costs[1].seconds.waiting == Approx(0.001));
  CHECK(costs[2].seconds.applying == Approx(0.002));
  CHECK(costs[2].seconds.transferring == Approx(0.020));
  CHECK(costs[2].seconds.waiting == Approx(0.030));
  CHECK(costs[0].gradients == 1);
  CHECK(costs[1].sent == 1e6);
  CHECK(costs[1].received == 1e6);
  CHECK(costs[2].sent == 2e6);
  CHECK(costs[2].received == 2e6);
}

TEST_CASE("seconds of every process add up to the epoch, and bytes that arrive to those sent", "[parallel][costs]") {
  ClusterConfig cluster;
  cluster.stragglers = {{1, 4}};
  cluster.ranks_per_host = 2;
  for (const Method& method : {Method(Bsp{}), Method(ArSgd{}), Method(Asp{}), Method(Ssp{}), Method(Easgd{}),
                               Method(GoSgd{.probability = 0.3}), Method(AdPsgd{}), Method(Aladdin{}), Method(Shat{}),
                               Method(Sgp{}), Method(LocalSgd{}), Method(DiLoCo{})}) {
    INFO(method.index());
    Setting made = setting(method, 5, cluster);
    made.model_bytes = 3e6;
    Run<float> run(made);
    run.epoch(57);
    double sent = 0, received = 0;
    std::int64_t gradients = 0;
    for (const Cost& cost : run.cluster.costs()) {
      CHECK(cost.seconds.all() == Approx(run.cluster.now()));
      CHECK(std::min(
                {cost.seconds.computing, cost.seconds.applying, cost.seconds.transferring, cost.seconds.waiting}) >= 0);
      sent += cost.sent;
      received += cost.received;
      gradients += cost.gradients;
    }
    CHECK(gradients == 57);
    CHECK(received == Approx(sent));
    CHECK(run.cluster.bytes() == Approx(sent));
  }
}

TEST_CASE("updates of asp are as stale as there are others, and of bsp never", "[parallel][costs][staleness]") {
  for (const int ranks : {2, 3, 4}) {
    const int rounds = 5;
    Run<float> asp(setting(Asp{}, ranks));
    asp.epoch(std::int64_t(rounds) * ranks);
    // All are ready at once and taken in by rank: at first rank r has missed those of the r before it, later all
    // others.
    for (int rank = 0; rank < ranks; ++rank) {
      const Staleness one = staleness(asp)[std::size_t(rank)];
      CHECK(one.updates == rounds);
      CHECK(one.sum == rank + (rounds - 1) * (ranks - 1));
      CHECK(one.most == ranks - 1);
    }
    for (const Method& method : {Method(Bsp{}), Method(Bsp{.momentum = "worker"}), Method(ArSgd{})}) {
      Setting made = setting(method, ranks, ClusterConfig());
      made.cluster.stragglers = {{0, 5}};
      Run<float> in_step(made);
      in_step.epoch(std::int64_t(rounds) * ranks);
      for (const Staleness& one : staleness(in_step)) {
        CHECK(one.updates == rounds);
        CHECK(one.most == 0);
      }
    }
  }
}

TEST_CASE("gradients that bsp drops are no updates", "[parallel][costs][staleness]") {
  Setting made = setting(Bsp{.drop_slowest = 1}, 2);
  made.cluster.stragglers = {{1, 3}};
  Run<float> run(made);
  // Rank 0 ends rounds at 10, 20 and 30 ms; the gradient that rank 1 has at 30 ms is one for the first round.
  run.epoch(4);
  const std::vector<Cost> costs = run.cluster.costs();
  CHECK(costs[0].gradients == 3);
  CHECK(costs[1].gradients == 1);
  CHECK(staleness(run)[0].updates == 3);
  CHECK(staleness(run)[0].most == 0);
  CHECK(staleness(run)[1].updates == 0);
}

TEST_CASE("a rank of asp that is half as fast is behind two updates", "[parallel][costs][staleness]") {
  Setting made = setting(Asp{}, 2);
  made.cluster.stragglers = {{1, 2}};
  Run<float> run(made);
  // Taken in, by rank: 0 at 10 ms; 0 and 1 at 20; 0 at 30; 0 and 1 at 40.
  run.epoch(6);
  CHECK(staleness(run)[0].updates == 4);
  CHECK(staleness(run)[0].sum == 0 + 0 + 1 + 0);
  CHECK(staleness(run)[1].updates == 2);
  CHECK(staleness(run)[1].sum == 2 + 2);
  CHECK(staleness(run)[1].mean() == 2);
}

TEST_CASE("what a rank has missed counts in the next epoch", "[parallel][costs][staleness]") {
  Run<float> run(setting(Asp{}, 3));
  run.epoch(3);
  for (auto& server : run.members.servers) server.staleness.begin_epoch();
  VirtualCluster<float> next(run.gang, *run.algorithm, run.members, &run.toy, {lock_step(), 28, 7, {}});
  next.begin(3);
  while (next.advance()) continue;
  next.end();
  for (const Staleness& one : staleness(run)) {
    CHECK(one.updates == 1);
    CHECK(one.sum == 2);
  }
}

TEST_CASE("a rank that is lost leaves the account of the others", "[parallel][costs][staleness]") {
  Run<float> run(setting(Asp{}, 3));
  StalenessTally& tally = run.members.servers.front().staleness;
  tally.take_in(1);
  tally.take_in(2);
  dlrun::parallel::leave(*run.algorithm, run.members, 1);
  CHECK(tally.missed() == std::vector<std::int64_t>{2, 1});
  CHECK(tally.seen()[1].updates == 1);
  CHECK(tally.seen()[1].sum == 1);  // rank 2, which missed the update of 1
  dlrun::parallel::join(*run.algorithm, run.members, 1);
  CHECK(tally.missed() == std::vector<std::int64_t>{2, 2, 1});
}

TEST_CASE("ranks that average every fourth step lack up to three steps of each other", "[parallel][costs][staleness]") {
  Run<float> run(setting(LocalSgd{.period = 4}, 3));
  run.epoch(3 * 8);
  for (const Staleness& one : staleness(run)) {
    CHECK(one.updates == 8);
    CHECK(one.sum == 2 * 2 * (0 + 1 + 2 + 3));
    CHECK(one.most == 6);
  }
}

TEST_CASE("the server of asp keeps messages of all ranks but the one that it takes in", "[parallel][costs]") {
  ClusterConfig cluster = lock_step();
  cluster.apply_gbyte = 1;
  Setting made = setting(Asp{}, 4, cluster);
  made.model_bytes = 1e6;
  Run<float> run(made);
  run.epoch(4);
  CHECK(run.cluster.costs()[4].mailbox == Approx(3e6));
}

TEST_CASE("memory of ranks and servers is that of their copies of the weights", "[parallel][memory]") {
  const auto memory = [](ParallelConfig config, int slots) {
    return memory_of(config, gang_of(config, {{100, 400, 1, 10}}), slots);
  };
  ParallelConfig config{.method = Bsp{}, .ranks = 4};
  GangMemory bsp = memory(config, 2);  // adam at the server
  CHECK(bsp.rank.all() == 400 + 400);  // weights, gradient
  REQUIRE(bsp.servers.size() == 1);
  CHECK(bsp.servers[0].all() == 400 + 2 * 400 + 400);
  CHECK(bsp.kept(4) == 4 * 400 + 3 * 400);
  config.codec = Dgc{.momentum = 0.9};
  CHECK(memory(config, 0).rank.codec == 2 * 400);
  CHECK(memory(config, 0).servers[0].working == 400 + 800);  // a clock of eight bytes for each number
  config = {.method = Bsp{.drop_slowest = 1}, .ranks = 4};
  CHECK(memory(config, 0).servers[0].working == 400 + 3 * 400);  // a sum, and three gradients of a round
  config = {.method = DiLoCo{}, .ranks = 4};
  CHECK(memory(config, 1).rank.kept() == 400 * (1 + 1 + 2));
  CHECK(memory(config, 1).servers.empty());
  config = {.method = ArSgd{}, .ranks = 4, .codec = PowerSgd{.rank = 2}};
  CHECK(memory(config, 1).rank.codec == 400 + 4 * 2 * 10);  // the error, and 10 x 2 numbers
  config = {.method = Aladdin{}, .ranks = 2};
  CHECK(memory(config, 1).servers[0].kept() == 2 * 400);
}

}  // namespace costs_test
