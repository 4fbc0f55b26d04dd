// SPDX-License-Identifier: Apache-2.0
// Virtual time: the law of stragglers, the same events for the same arguments, traffic.
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace time_test {

using namespace parallel_test;

namespace {

/// Gradients of all ranks per gradient's time of a healthy one, without any gradients.
double throughput(Method method, int ranks, double slow, ClusterConfig cluster = lock_step(), double bytes = 0) {
  const ParallelConfig config{.method = std::move(method), .ranks = ranks};
  const auto algorithm = make_algorithm<float>(config.method);
  const Gang gang = gang_of(config, {Layer{}});
  Members<float> members = members_of(gang, *algorithm, {});
  cluster.stragglers = {{0, slow}};
  VirtualCluster<float> timed(gang, *algorithm, members, nullptr, {cluster, bytes, 3, {}});
  timed.begin(1'000'000'000);
  const double end = 4000 * cluster.gradient_ms * 1e-3;
  while (timed.now() < end && timed.advance()) continue;
  std::int64_t gradients = 0;
  for (int rank = 0; rank < ranks; ++rank) gradients += timed.cost(rank).gradients;
  return double(gradients) * cluster.gradient_ms * 1e-3 / timed.now();
}

}  // namespace

TEST_CASE("a slow rank costs methods that wait its factor, and others its own share", "[parallel][numbers]") {
  for (const double slow : {2.0, 10.0, 100.0}) {
    const double lost = (7 + 1 / slow) / 8;  // closed form; the paper of aladdin has 0.940, 0.888, 0.876
    for (const Method& method : {Method(Aladdin{}), Method(AdPsgd{}), Method(GoSgd{}), Method(Asp{})}) {
      INFO(method.index());
      CHECK(throughput(method, 8, slow) / 8 == Approx(lost).epsilon(0.01));
    }
    for (const Method& method : {Method(Bsp{}), Method(ArSgd{}), Method(LocalSgd{})}) {
      INFO(method.index());
      CHECK(throughput(method, 8, slow) / 8 == Approx(1 / slow).epsilon(0.02));
    }
  }
}

TEST_CASE("a server that takes gradients in slowly bounds all ranks together") {
  ClusterConfig cluster = lock_step();
  cluster.apply_gbyte = 1;
  CHECK(throughput(Asp{}, 8, 1, cluster, 5e6) == Approx(2).epsilon(0.01));  // 10 ms of gradient, 5 ms of server
}

TEST_CASE("ranks share the network card of their server") {
  ClusterConfig cluster = lock_step();
  cluster.bandwidth_gbit = 0.8;  // 100 MB/s: 1 MB takes 10 ms
  const double alone = throughput(Asp{}, 2, 1, cluster, 1e6), many = throughput(Asp{}, 9, 1, cluster, 1e6);
  CHECK(alone == Approx(1 + 1.0 / 3).epsilon(0.02));  // rank 0 is at home; the other needs 10 ms each way
  CHECK(many == Approx(1 + 8.0 / 17).epsilon(0.02));  // eight go in step: 10 ms, and 80 ms for the card each way
}

TEST_CASE("equal arguments give equal events and weights; another seed does not") {
  Setting made;
  made.cluster.jitter = 0.3;
  for (const Method& method : {Method(Asp{}), Method(GoSgd{.probability = 0.3}), Method(AdPsgd{}), Method(Aladdin{})}) {
    made.parallel = {.method = method, .ranks = 5};
    Run<float> a(made), b(made);
    a.epoch(100);
    b.epoch(100);
    CHECK(a.cluster.digest() == b.cluster.digest());
    CHECK(a.cluster.model() == b.cluster.model());
    VirtualCluster<float> other(a.gang, *a.algorithm, a.members, &a.toy, {made.cluster, 28, 8, {}});
    other.begin(100);
    while (other.advance()) continue;
    CHECK(other.digest() != b.cluster.digest());
  }
}

TEST_CASE("payload bytes are those of the formulas") {
  const int n = 4;
  const double model = 28;
  const auto sent = [&](Method method, std::int64_t batches) {
    Setting made;
    made.parallel = {.method = std::move(method), .ranks = n};
    made.cluster = lock_step();
    Run<float> run(made);
    run.epoch(batches);
    double bytes = 0;
    for (int node = 0; node < run.gang.nodes(); ++node) bytes += run.cluster.cost(node).bytes;
    return bytes / model;
  };
  CHECK(sent(Bsp{}, 40) == Approx(2 * n * 10));
  CHECK(sent(Asp{}, 40) == Approx(2 * 40));
  CHECK(sent(Easgd{.period = 5}, 40) == Approx(2 * 8));
  CHECK(sent(ArSgd{}, 40) == Approx(2 * (n - 1) * 10));
  CHECK(sent(ArSgd{.reduce = "ring"}, 40) == Approx(2 * (n - 1) * 10));
  CHECK(sent(Aladdin{.pushes = 5}, 40) == Approx(40 + 40 / 5));
  CHECK(sent(Sgp{}, 40) == Approx(40));
}

}  // namespace time_test
