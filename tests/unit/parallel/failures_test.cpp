// SPDX-License-Identifier: Apache-2.0
// Ranks that are lost in virtual time: when, and what a gang pays that begins its epoch again.
#include <cmath>
#include <tuple>

#include "parallel/restarts.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"
#include "util/error.hpp"

namespace failures_test {

using namespace parallel_test;

namespace {

/// Timing of a gang whose gradients alone take time, 10 ms each.
struct Timed {
  explicit Timed(Method method, int ranks)
      : config{.method = std::move(method), .ranks = ranks},
        algorithm(make_algorithm<float>(config.method)),
        gang(gang_of(config, {Layer{}})),
        states(members_of<float>(gang, *algorithm, {})) {
    options.cluster = lock_step();
    options.seed = 11;
  }
  Restarts lost(std::int64_t batches) const { return restarts(gang, *algorithm, states, options, batches); }

  ParallelConfig config;
  std::unique_ptr<Algorithm<float>> algorithm;
  Gang gang;
  Members<float> states;  ///< at the begin of the epoch
  VirtualCluster<float>::Options options;
};

}  // namespace

TEST_CASE("a gang that begins again has lost the time until the loss, and waits for its rank", "[parallel][cluster]") {
  Timed timed(Bsp{}, 4);  // 40 batches: 10 rounds, 0.1 s
  timed.options.cluster.failures = {{1, 0.07}, {2, 0.13}, {3, 5.0}};
  timed.options.cluster.restart = 0.05;
  const Restarts lost = timed.lost(40);  // lost at 0.07, on from 0.12, lost at 0.13, on from 0.18 to the end at 0.28
  CHECK(lost.count == 2);
  CHECK(lost.seconds == Approx(0.18));
  timed.options.began = 0.18;
  CHECK(timed.lost(40).count == 0);
  timed.options.began = 4.95;
  CHECK(timed.lost(40).seconds == Approx(0.05 + 0.05));
}

TEST_CASE("a rank that is named for a time at which the gang waits is lost too, and waited for",
          "[parallel][cluster]") {
  Timed timed(Bsp{}, 4);
  timed.options.cluster.failures = {{2, 0.09}, {1, 0.07}, {1, 0.10}, {3, 0.13}, {7, 0.08}, {0, 0.19}};
  timed.options.cluster.restart = 0.05;
  // Ranks 1, 2 and 3 are back at 0.12, 0.14 and 0.18; rank 1 is not there at 0.10. Rank 0 is lost at work.
  const Restarts lost = timed.lost(40);
  CHECK(lost.count == 4);
  CHECK(lost.seconds == Approx(0.24));
  timed.options.cluster.failures = {{1, 0.07}, {2, 0.07}, {1, 0.12}, {3, 0.17}};  // each as others are back
  CHECK(timed.lost(40).count == 4);
  CHECK(timed.lost(40).seconds == Approx(0.22));
}

TEST_CASE("an epoch is played with the clocks that its ranks have", "[parallel][cluster]") {
  Timed timed(LocalSgd{.period = 20}, 4);
  timed.options.model_bytes = 1e6;
  timed.options.cluster.bandwidth_gbit = 0.1;
  for (Rank<float>& rank : timed.states.ranks) rank.clock = 12;  // the mean of all falls into the 8th round of 12
  timed.options.cluster.failures = {{1, 0.2}};                   // 12 rounds alone take 0.12 s
  const Restarts lost = timed.lost(48);
  CHECK(lost.count == 1);
  CHECK(timed.states.ranks[0].clock == 12);
}

TEST_CASE("bytes that were sent in vain count", "[parallel][cluster]") {
  Timed timed(Asp{}, 2);
  timed.options.model_bytes = 100;
  timed.options.cluster.failures = {{1, 0.0551}};
  CHECK(timed.lost(40).bytes == Approx(2 * 2 * 5 * 100));  // five gradients of each rank, and five answers
}

TEST_CASE("the time of epochs with random failures is that of Daly", "[parallel][cluster][numbers]") {
  // Daly 2006: work w that begins again after each failure, of rate r, and waits R each time, takes
  // (1/r + R) (exp(r w) - 1) in the mean.
  Timed timed(ArSgd{}, 3);
  const double work = 0.2, restart = 0.1;
  timed.options.cluster.mtbf = 0.6;  // of each of three: 0.2 of the gang
  timed.options.cluster.restart = restart;
  const double rate = 3 / *timed.options.cluster.mtbf;
  constexpr int kEpochs = 3000;
  std::int64_t count = 0;
  for (int i = 0; i < kEpochs; ++i) {
    const Restarts lost = timed.lost(60);
    timed.options.began += lost.seconds + work;
    count += lost.count;
  }
  CHECK(timed.options.began / kEpochs == Approx((1 / rate + restart) * (std::exp(rate * work) - 1)).epsilon(0.06));
  CHECK(double(count) / kEpochs == Approx(std::exp(rate * work) - 1).epsilon(0.08));
}

TEST_CASE("an epoch that never ends is an error", "[parallel][cluster]") {
  Timed timed(Bsp{}, 2);
  timed.options.cluster.mtbf = 0.001;
  CHECK_THROWS_AS(timed.lost(1000), dlrun::Error);
}

TEST_CASE("a cluster reports losses of ranks that are there, and spares the first where it is to",
          "[parallel][cluster]") {
  Timed timed(Bsp{}, 3);
  timed.options.cluster.failures = {{0, 0.015}, {2, 0.035}, {1, 0.055}};
  const auto lost_at = [&](Losing losing, const Gang& gang) {
    Members<float> members = members_of<float>(gang, *timed.algorithm, {});
    timed.options.losing = losing;
    VirtualCluster<float> cluster(gang, *timed.algorithm, members, nullptr, timed.options);
    cluster.begin(60);
    try {
      while (cluster.advance()) continue;
      return std::tuple(-1, cluster.now(), cluster.settled());
    } catch (const RankLost& loss) {
      return std::tuple(loss.process, cluster.now(), cluster.settled());
    }
  };
  CHECK(lost_at(Losing::none, timed.gang) == std::tuple(-1, Approx(0.2), 57));
  CHECK(lost_at(Losing::any, timed.gang) == std::tuple(0, Approx(0.015), 3));  // the second round has begun
  CHECK(lost_at(Losing::others, timed.gang) == std::tuple(2, Approx(0.035), 9));
  Gang left = timed.gang;
  left.ranks = 2;
  left.founders = 3;
  left.seats = {0, 1};
  CHECK(lost_at(Losing::others, left) == std::tuple(1, Approx(0.055), 10));
}

}  // namespace failures_test
