// SPDX-License-Identifier: Apache-2.0
// Ranks that pause, and ranks that are slower from time to time: by hand, and by the laws of what each method loses.
#include <numeric>

#include "parallel/speed.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace speed_test {

using namespace parallel_test;

namespace {

/// 10 ms for a gradient, and nothing else takes time.
Setting even(Method method, int ranks) {
  Setting made;
  made.parallel = {.method = std::move(method), .ranks = ranks};
  made.cluster = lock_step();
  return made;
}

double epoch_seconds(const Setting& setting, std::int64_t batches) {
  Run<float> run(setting);
  run.epoch(batches);
  return run.cluster.now();
}

/// Gradients of all ranks per gradient's time of a healthy one.
double throughput(Method method, int ranks, const ClusterConfig& cluster, double seconds) {
  const ParallelConfig config{.method = std::move(method), .ranks = ranks};
  const auto algorithm = make_algorithm<float>(config.method);
  const Gang gang = gang_of(config, {Layer{}});
  Members<float> members = members_of(gang, *algorithm, {});
  VirtualCluster<float> timed(gang, *algorithm, members, nullptr, {cluster, 0, 3, {}});
  timed.begin(1'000'000'000);
  while (timed.now() < seconds && timed.advance()) continue;
  std::int64_t gradients = 0;
  for (int rank = 0; rank < ranks; ++rank) gradients += timed.cost(rank).gradients;
  return double(gradients) * cluster.gradient_ms * 1e-3 / timed.now();
}

}  // namespace

TEST_CASE("work stands still in pauses, and overlapping ones count once", "[parallel][cluster]") {
  ClusterConfig cluster;
  cluster.pauses = {{1, 4, 1}, {1, 2, 1.5}, {0, 0, 9}, {1, 3, 0.25}};
  Speed speed(cluster, 1, {});  // paused from 2 to 3.5, and from 4 to 5
  CHECK(speed.computed(0, 1.5) == 1.5);
  CHECK(speed.computed(0, 2.25) == 3.75);
  CHECK(speed.worked(1, 2) == 5.5);
  CHECK(speed.computed(2.5, 1) == 5.5);
  CHECK(speed.awake(2) == 3.5);
  CHECK(speed.awake(3.75) == 3.75);
  Speed later(cluster, 1, {0, {}, 3});  // the same, seen from an epoch that begins at 3
  CHECK(later.computed(0, 0.75) == 2.25);
  CHECK(Speed().computed(7, 0.1) == 7 + 0.1);
}

TEST_CASE("a method in step waits for a rank that pauses, one out of step loses its gradients alone",
          "[parallel][cluster]") {
  const double pause = 0.73;
  for (const Method& method : {Method(Bsp{}), Method(ArSgd{}), Method(LocalSgd{})}) {
    INFO(method.index());
    Setting made = even(method, 4);
    CHECK(epoch_seconds(made, 400) == Approx(1.00));
    made.cluster.pauses = {{2, 0.314, pause}};
    CHECK(epoch_seconds(made, 400) == Approx(1.00 + pause));
  }
  for (const Method& method : {Method(Asp{}), Method(AdPsgd{}), Method(Aladdin{}), Method(GoSgd{})}) {
    INFO(method.index());
    Setting made = even(method, 4);
    made.cluster.pauses = {{3, 0.314, pause}};
    CHECK(epoch_seconds(made, 400) == Approx((400 * 0.01 + pause) / 4).margin(0.0101));  // a gradient more or less
  }
}

TEST_CASE("pauses change when ranks of bsp step, and none of their bits", "[parallel][cluster]") {
  Setting made = even(Bsp{}, 3);
  const std::vector<float> usual = trained<float>(made, 50);
  made.cluster.pauses = {{0, 0.02, 1}, {2, 0.5, 0.1}};
  made.cluster.slowdowns = {{std::nullopt, 0.1, 0.1, 7}};
  CHECK(trained<float>(made, 50) == usual);
}

TEST_CASE("a rank that pauses takes in no message", "[parallel][cluster]") {
  // Rank 1 computes until 10 ms and waits for the server, which answers when rank 0 is there, at 30 ms. It hears so
  // when its pause is over, at 50 ms; the second round ends 30 ms later.
  Setting made = even(Bsp{}, 2);
  made.cluster.stragglers = {{0, 3}};
  made.cluster.pauses = {{1, 0.02, 0.03}};
  CHECK(epoch_seconds(made, 4) == Approx(0.06));
  made.cluster.pauses = {{1, 0.02, 0.06}};  // until 80 ms; rank 0 is ready at 60
  CHECK(epoch_seconds(made, 4) == Approx(0.09));
}

TEST_CASE("slow-downs cost methods that wait the time in which any rank is slow, and others their own",
          "[parallel][cluster][numbers]") {
  ClusterConfig cluster = lock_step();
  const double every = 6, duration = 2, factor = 5, seconds = 2'000;  // 250 phases of each kind and rank
  cluster.gradient_ms = 20;
  cluster.slowdowns = {{std::nullopt, every, duration, factor}};
  const double slow = duration / (every + duration);  // the chain's stationary distribution: a quarter
  const double own = 1 - slow + slow / factor;
  CHECK(throughput(Asp{}, 4, cluster, seconds) / 4 == Approx(own).epsilon(0.03));
  const double none = std::pow(1 - slow, 4);
  CHECK(throughput(Bsp{}, 4, cluster, seconds) / 4 == Approx(none + (1 - none) / factor).epsilon(0.06));
  cluster.slowdowns = {{1, every, duration, factor}};
  CHECK(throughput(Asp{}, 4, cluster, seconds) / 4 == Approx((3 + own) / 4).epsilon(0.01));
}

TEST_CASE("slow-downs go on from one epoch to the next", "[parallel][cluster]") {
  ClusterConfig cluster;
  cluster.slowdowns = {{std::nullopt, 3, 1, 4}, {0, 20, 5, 2}};
  Speed whole(cluster, 0, {5, "0"}), other(cluster, 0, {6, "0"});
  Speed later(cluster, 0, {5, "0", 40});
  double sum = 0;
  for (double from = 0; from < 60; from += 1.7) {
    CHECK(later.computed(from, 1) + 40 == Approx(whole.computed(from + 40, 1)).epsilon(1e-12));
    sum += whole.computed(from, 1) - other.computed(from, 1);
  }
  CHECK(sum != 0);
}

}  // namespace speed_test
