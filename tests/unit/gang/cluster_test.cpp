// SPDX-License-Identifier: Apache-2.0
// Processes of a gang, played by threads that share nothing but what processes would: the same bits as in virtual time
// where the method decides the order, every batch exactly once, what methods conserve, and what a record plays again.
#include <mutex>
#include <numeric>
#include <thread>

#include "gang/process_cluster.hpp"
#include "parallel/replay.hpp"
#include "support/catch.hpp"
#include "unit/gang/places.hpp"
#include "unit/parallel/toy.hpp"

namespace cluster_test {

using namespace dlrun;
using namespace dlrun::gang;
using namespace parallel_test;

namespace {

/// Counts the batches that were asked for.
class Counting : public Toy<float> {
 public:
  Counting(const Setting& setting, std::vector<int>& counts, std::mutex& mutex)
      : Toy(setting.batch, setting.lr, setting.momentum), counts_(counts), mutex_(mutex) {}
  Gradient<float> gradient(int rank, std::int64_t batch, const std::vector<float>& weights) override {
    {
      const std::lock_guard lock(mutex_);
      ++counts_.at(std::size_t(batch));
    }
    return Toy::gradient(rank, batch, weights);
  }

 private:
  std::vector<int>& counts_;
  std::mutex& mutex_;
};

struct Outcome {
  std::vector<float> model;
  Members<float> members;
  std::vector<int> batches;  ///< how often each was computed
  double bytes = 0, received = 0;
  std::int64_t gradients = 0;
  std::vector<std::string> records;  ///< by process
};

/// One epoch.
Outcome trained_apart(const Setting& setting, const Deal& deal, int hosts = 1, bool is_encrypted = true) {
  const auto algorithm = make_algorithm<float>(setting.parallel.method);
  const dlrun::parallel::Gang gang = gang_of(setting.parallel, setting.layers);
  int processes = gang.ranks;
  for (int node = gang.ranks; node < gang.nodes(); ++node) processes = std::max(processes, gang.process_of(node) + 1);
  std::vector<Place> all = gang_test::places(hosts_of(gang.ranks, processes - gang.ranks, hosts), is_encrypted);
  std::vector<Members<float>> members(all.size(), members_of(gang, *algorithm, initial<float>()));
  Outcome out;
  out.batches.resize(std::size_t(deal.rounds(gang.ranks) * gang.ranks));
  out.records.resize(all.size());
  std::mutex mutex;
  const auto play = [&](std::size_t process) {
    Counting toy(setting, out.batches, mutex);
    ProcessCluster cluster(gang, *algorithm, members[process], toy, all[process], {7, {}, setting.model_bytes});
    cluster.begin(deal);
    while (cluster.advance()) continue;
    cluster.end();
    const std::lock_guard lock(mutex);
    out.records[process] = cluster.record();
    out.bytes += cluster.bytes();
    const Cost cost = cluster.costs().at(0);
    CHECK(cost.process == int(process));
    CHECK(std::min({cost.seconds.computing, cost.seconds.transferring, cost.seconds.waiting}) >= 0);
    CHECK(cost.seconds.all() > 0);
    out.received += cost.received;
    out.gradients += cost.gradients;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < all.size(); ++i) threads.emplace_back(play, i);
  play(0);
  for (std::thread& thread : threads) thread.join();
  out.members = members.front();
  for (int node = 0; node < gang.nodes(); ++node) {
    const auto process = std::size_t(gang.process_of(node)), at = std::size_t(node);
    if (node < gang.ranks) out.members.ranks[at] = members[process].ranks[at];
    if (node >= gang.ranks)
      out.members.servers[at - std::size_t(gang.ranks)] = members[process].servers[at - std::size_t(gang.ranks)];
  }
  out.model = algorithm->model(out.members);
  return out;
}

Setting setting_of(Method method, int ranks) {
  Setting setting;
  setting.parallel = {.method = std::move(method), .ranks = ranks};
  setting.momentum = 0.9;
  return setting;
}

/// The same epoch by its records, in one process.
Outcome played_again(const Setting& setting, const Deal& deal, const std::vector<std::string>& records) {
  const auto algorithm = make_algorithm<float>(setting.parallel.method);
  const dlrun::parallel::Gang gang = gang_of(setting.parallel, setting.layers);
  Outcome out;
  out.members = members_of(gang, *algorithm, initial<float>());
  Toy<float> toy(setting.batch, setting.lr, setting.momentum);
  Replay<float> replay(gang, *algorithm, out.members, toy, {7, {}, setting.model_bytes}, records);
  replay.begin(deal);
  while (replay.advance()) continue;
  replay.end();
  for (const Cost& cost : replay.costs()) out.received += cost.received;
  out.gradients = replay.started();
  out.model = algorithm->model(out.members);
  return out;
}

void require_same(const Members<float>& a, const Members<float>& b) {
  for (std::size_t i = 0; i < a.ranks.size(); ++i) {
    REQUIRE(a.ranks[i].weights == b.ranks[i].weights);
    REQUIRE(a.ranks[i].clock == b.ranks[i].clock);
    REQUIRE(a.ranks[i].weight == b.ranks[i].weight);
    REQUIRE(a.ranks[i].staleness.sum == b.ranks[i].staleness.sum);
  }
  for (std::size_t i = 0; i < a.servers.size(); ++i) {
    REQUIRE(a.servers[i].weights == b.servers[i].weights);
    REQUIRE(a.servers[i].counts == b.servers[i].counts);
    REQUIRE(a.servers[i].staleness.missed() == b.servers[i].staleness.missed());
  }
}

}  // namespace

TEST_CASE("methods in lock-step have the same bits between processes as in virtual time", "[gang]") {
  const Method method = GENERATE(Method(Bsp{}), Method(ArSgd{}), Method(ArSgd{"ring"}), Method(Sgp{}),
                                 Method(LocalSgd{}), Method(DiLoCo{}));
  const int ranks = GENERATE(1, 2, 3, 5);
  INFO(method.index() << " with " << ranks << " ranks");
  const Setting setting = setting_of(method, ranks);
  Run<float> run(setting);
  run.epoch(43);
  const Outcome apart = trained_apart(setting, 43);
  CHECK(apart.model == run.cluster.model());
  CHECK(apart.bytes == run.cluster.bytes());
  CHECK(apart.received == Approx(apart.bytes));
  CHECK(apart.gradients == 43);
  CHECK(std::count(apart.batches.begin(), apart.batches.end(), 1) == 43);
}

TEST_CASE("ranks with lists of their own have the same bits between processes, if they go in step", "[gang]") {
  const Method method = GENERATE(Method(Bsp{}), Method(ArSgd{}), Method(Sgp{}), Method(LocalSgd{}), Method(DiLoCo{}));
  const Deal deal(GENERATE(std::vector<std::int64_t>{9, 9, 9}, std::vector<std::int64_t>{4, 0, 11}));
  const Setting setting = setting_of(method, 3);
  Run<float> run(setting);
  run.cluster.begin(deal);
  while (run.cluster.advance()) continue;
  run.cluster.end();
  const Outcome apart = trained_apart(setting, deal);
  CHECK(apart.model == run.cluster.model());
  CHECK(std::count(apart.batches.begin(), apart.batches.end(), 1) == deal.batches());
}

TEST_CASE("out of step each rank goes through its list between processes too", "[gang]") {
  const Method method =
      GENERATE(Method(Asp{}), Method(Easgd{}), Method(GoSgd{0.3}), Method(AdPsgd{}), Method(Aladdin{}), Method(Shat{}));
  const std::vector<std::int64_t> lists{4, 1, 11};
  const int hosts = GENERATE(1, 2);
  INFO(method.index() << " on " << hosts << " hosts");
  const Outcome apart = trained_apart(setting_of(method, 3), Deal(lists), hosts);
  for (std::size_t batch = 0; batch < apart.batches.size(); ++batch)
    CHECK(apart.batches[batch] == (std::int64_t(batch) / 3 < lists[batch % 3] ? 1 : 0));
}

TEST_CASE("a record plays a gang out of step again, to the bit", "[gang]") {
  const Method method =
      GENERATE(Method(Asp{}), Method(Asp{"server"}), Method(Ssp{.staleness = 1}), Method(Ssp{.read = "on_stale"}),
               Method(Easgd{2}), Method(GoSgd{0.3}), Method(AdPsgd{}), Method(Aladdin{}), Method(Shat{}));
  const Deal deal = GENERATE(Deal(61), Deal(std::vector<std::int64_t>{14, 1, 31}));
  if (deal.has_lists() && std::holds_alternative<Ssp>(method)) return;  // would wait for the rank with one batch
  const int hosts = GENERATE(1, 2);
  INFO(method.index() << " on " << hosts << " hosts");
  const Setting setting = setting_of(method, 3);
  const Outcome apart = trained_apart(setting, deal, hosts);
  const Outcome again = played_again(setting, deal, apart.records);
  CHECK(again.model == apart.model);
  CHECK(again.gradients == apart.gradients);
  CHECK(again.received == Approx(apart.received).epsilon(1e-12));
  require_same(again.members, apart.members);
}

TEST_CASE("rounds that end early are played again, and so are shards and packed gradients", "[gang]") {
  Setting setting = setting_of(Bsp{.drop_slowest = 1}, 3);
  const Outcome early = trained_apart(setting, 40);
  require_same(played_again(setting, 40, early.records).members, early.members);
  setting = setting_of(Asp{"server"}, 3);
  setting.layers = {{4, 16}, {3, 12}};
  setting.parallel.sharding.by = "layer";
  setting.parallel.sharding.servers = 2;
  setting.parallel.sharding.is_wait_free = true;
  setting.parallel.codec = Dgc{.ratio = 0.3};
  const Outcome apart = trained_apart(setting, 40);
  require_same(played_again(setting, 40, apart.records).members, apart.members);
}

TEST_CASE("packed gradients have the same bits between processes as in virtual time", "[gang]") {
  const auto [method, codec] = GENERATE(
      table<Method, Codec>({{Bsp{}, Bf16{}}, {ArSgd{}, Bf16{}}, {Bsp{}, Dgc{.ratio = 0.3}}, {ArSgd{}, PowerSgd{}}}));
  const int ranks = GENERATE(2, 3);
  INFO(codec.index() << " with " << ranks << " ranks");
  Setting setting = setting_of(method, ranks);
  setting.parallel.codec = codec;
  setting.layers = {{6, 24, 2}, {1, 4}};
  Run<float> run(setting);
  run.epoch(43);
  const Outcome apart = trained_apart(setting, 43);
  CHECK(apart.model == run.cluster.model());
  CHECK(apart.bytes == Approx(run.cluster.bytes()).epsilon(1e-12));
}

TEST_CASE("whoever is faster takes more batches, but each is taken once", "[gang]") {
  const Method method = GENERATE(Method(Asp{}), Method(Ssp{}), Method(Easgd{}), Method(GoSgd{0.3}), Method(AdPsgd{}),
                                 Method(Aladdin{}), Method(Shat{}));
  INFO(method.index());
  const Outcome apart = trained_apart(setting_of(method, 4), 101);
  CHECK(std::count(apart.batches.begin(), apart.batches.end(), 1) == 101);
  CHECK(std::isfinite(apart.model.front()));
  CHECK((apart.model != initial<float>()));
}

TEST_CASE("several hosts change nothing for methods in lock-step, with a cipher or without", "[gang]") {
  const Method method = GENERATE(Method(Bsp{}), Method(ArSgd{"ring"}), Method(LocalSgd{}));
  const auto [hosts, is_encrypted] = GENERATE(table<int, bool>({{2, true}, {3, true}, {2, false}}));
  INFO(method.index() << " on " << hosts << " hosts");
  const Setting setting = setting_of(method, 4);
  Run<float> run(setting);
  run.epoch(43);
  const Outcome apart = trained_apart(setting, 43, hosts, is_encrypted);
  CHECK(apart.model == run.cluster.model());
  CHECK(apart.bytes == run.cluster.bytes());
}

TEST_CASE("ranks of several hosts take each batch once", "[gang]") {
  const Method method =
      GENERATE(Method(Asp{}), Method(Ssp{.staleness = 0}), Method(GoSgd{0.3}), Method(AdPsgd{}), Method(Aladdin{}));
  const int hosts = GENERATE(2, 4);
  INFO(method.index() << " on " << hosts << " hosts");
  const Outcome apart = trained_apart(setting_of(method, 4), 101, hosts);
  CHECK(std::count(apart.batches.begin(), apart.batches.end(), 1) == 101);
  CHECK(std::isfinite(apart.model.front()));
}

TEST_CASE("an epoch ends where ranks wait for a slower one that has no batch left", "[gang]") {
  for (int i = 0; i < 20; ++i) {
    const Outcome apart = trained_apart(setting_of(Ssp{.staleness = 0}, 4), 50 + i);
    REQUIRE(std::count(apart.batches.begin(), apart.batches.end(), 1) == 50 + i);
  }
}

TEST_CASE("gossip between processes loses no weight", "[gang]") {
  const Outcome apart = trained_apart(setting_of(GoSgd{0.5}, 4), 200);
  double weight = 0;
  for (const auto& rank : apart.members.ranks) weight += rank.weight;
  CHECK(weight == Approx(1).epsilon(1e-12));
}

TEST_CASE("exchanges between processes keep the sum of weights where nobody trains", "[gang]") {
  const Method method = GENERATE(Method(AdPsgd{}), Method(Easgd{2}));
  Setting setting = setting_of(method, 4);
  setting.lr = 0;
  const Outcome apart = trained_apart(setting, 60);
  CHECK(distance(apart.model, initial<float>()) < 1e-6);
}

TEST_CASE("a shard's server is a process of its own", "[gang]") {
  Setting setting = setting_of(Bsp{}, 2);
  setting.layers = {{4, 16}, {3, 12}};
  setting.parallel.sharding.by = "layer";
  setting.parallel.sharding.servers = 2;
  Run<float> run(setting);
  run.epoch(20);
  CHECK(trained_apart(setting, 20).model == run.cluster.model());
}

}  // namespace cluster_test
