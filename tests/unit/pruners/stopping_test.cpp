// SPDX-License-Identifier: Apache-2.0
// The pruners that judge once at each rung.
#include <algorithm>
#include <limits>

#include "pruners/ladder.hpp"
#include "pruners/pruner.hpp"
#include "pruners/ranking.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace stopping_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Tells a trial's values at rungs 0, 1, …; each is its own piece of one epoch. True: it stopped on the way.
bool tell(Pruner& pruner, int trial, const std::vector<double>& values) {
  for (int rung = 0; rung < int(values.size()); ++rung) {
    pruner.on_curve(TrialId(trial), {{pruner.rungs()[std::size_t(rung)], values[std::size_t(rung)]}});
    pruner.on_value(TrialId(trial), rung, values[std::size_t(rung)]);
    if (pruner.next_stop()) return true;
    if (rung + 1 < int(pruner.rungs().size())) pruner.claim(TrialId(trial), rung);
  }
  return false;
}

std::string stop_reason(const Pruner& pruner) {
  const auto stop = pruner.next_stop();
  return stop ? stop->reason : "";
}

Percentile quarter(std::int64_t min_trials) {
  return {.ladder = {.max_budget = 2}, .others = {.startup_trials = 0, .min_trials = min_trials}, .percentile = 25};
}

}  // namespace

TEST_CASE("even rungs begin at min_budget and end at the whole budget", "[pruners]") {
  using List = std::vector<std::int64_t>;
  const auto rungs = [](std::int64_t least, std::int64_t interval, std::int64_t most) {
    return even_rungs({.min_budget = least, .max_budget = most, .interval = interval}, "median");
  };
  CHECK(rungs(1, 1, 4) == List{1, 2, 3, 4});
  CHECK(rungs(2, 3, 10) == List{2, 5, 8, 10});
  CHECK(rungs(1, 3, 10) == List{1, 4, 7, 10});
  CHECK(rungs(5, 1, 5) == List{5});
  CHECK(rungs(1, 1, kMostRungs).size() == std::size_t(kMostRungs));
  CHECK_THROWS_WITH(rungs(1, 1, kMostRungs + 1), Contains("1001 rungs"));
  CHECK_THROWS_WITH(rungs(1, 0, 4), Contains("interval >= 1"));
}

TEST_CASE("a ranking's quantiles are interpolated linearly", "[pruners]") {
  Ranking ranking;
  for (int i = 0; i < 5; ++i) ranking.insert({double(i * i), TrialId(i)});  // 0 1 4 9 16
  CHECK(ranking.quantile(0.5) == 4);
  CHECK(ranking.quantile(0.25) == 1);
  CHECK(ranking.quantile(0.1) == Approx(0.4));
  CHECK(ranking.quantile(0.9) == Approx(9 + 0.6 * 7));
  CHECK(ranking.quantile(1) == 16);
}

TEST_CASE("stopping ASHA judges a trial once, against those before it", "[pruners][asha]") {
  const auto pruner = make_pruner({Asha{.ladder = {.eta = 3, .min_budget = 1, .max_budget = 9}, .stops = true}});
  CHECK_FALSE(tell(*pruner, 0, {0.9}));  // the first eta - 1 go on, however poor
  CHECK_FALSE(tell(*pruner, 1, {0.8}));
  CHECK(tell(*pruner, 2, {0.85}));
  CHECK(stop_reason(*pruner) == "rung 0: number 2 of 3, of which the best 1 go on");
  pruner->on_gone(TrialId(2));
  CHECK_FALSE(tell(*pruner, 3, {0.1}));

  SECTION("what failed counts and ranks last, until it was tried again") {
    pruner->on_value(TrialId(4), 0, std::nullopt);
    pruner->on_value(TrialId(5), 0, kNan);
    CHECK(pruner->next_stop() == std::nullopt);
    CHECK_FALSE(tell(*pruner, 6, {0.2}));  // second of seven, of which two go on
    CHECK_FALSE(tell(*pruner, 5, {0.05}));
    CHECK(tell(*pruner, 7, {0.2}));  // third of eight
  }
  SECTION("of equal values the lower trial number wins") {
    CHECK(tell(*pruner, 5, {0.1}));  // number 2 of 5, of which one goes on
    pruner->on_gone(TrialId(5));
    CHECK_FALSE(tell(*pruner, 2, {0.1}));  // number 1 of 6 … before trial 3
  }
}

TEST_CASE("stopping ASHA's verdicts are those of sorting every time", "[pruners][asha]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random(seed, {"test"});
    const int eta = 2 + int(random.below(3));
    const auto pruner = make_pruner({Asha{.ladder = {.eta = eta, .min_budget = 1, .max_budget = eta}, .stops = true}});
    std::vector<std::pair<double, int>> seen;
    for (int t = 0; t < 60; ++t) {
      const double value = double(random.below(12));
      seen.emplace_back(value, t);
      std::sort(seen.begin(), seen.end());
      const auto quota = seen.size() / std::size_t(eta);
      const auto place = std::find(seen.begin(), seen.end(), std::pair(value, t)) - seen.begin();
      REQUIRE(tell(*pruner, t, {value}) == (quota > 0 && std::size_t(place) >= quota));
      pruner->on_gone(TrialId(t));
    }
  }
}

TEST_CASE("the median rule holds a trial's best against completed trials at the same epoch", "[pruners][median]") {
  const PrunerOptions options{Median{.ladder = {.max_budget = 3}, .others = {.startup_trials = 3}}};
  const auto pruner = make_pruner(options);
  CHECK_FALSE(tell(*pruner, 0, {9, 3, 1}));
  CHECK_FALSE(tell(*pruner, 1, {8, 4, 2}));
  CHECK_FALSE(tell(*pruner, 2, {99, 99, 99}));  // two are complete: a third is awaited
  CHECK_FALSE(tell(*pruner, 3, {9}));           // medians are 9, 4, 2 now; equal is not worse
  CHECK(tell(*pruner, 4, {9.5}));
  CHECK(stop_reason(*pruner) == "rung 0: its best, 9.5, is worse than 9, the median of 3 completed trials at epoch 1");
  pruner->on_gone(TrialId(4));

  SECTION("an earlier value that was better counts") { CHECK_FALSE(tell(*pruner, 5, {3.5, 50})); }
  SECTION("what stopped or failed is nothing to be held against") {
    pruner->on_value(TrialId(5), 0, std::nullopt);
    CHECK(tell(*pruner, 6, {9.1}));
  }
  SECTION("a trial that ended early by itself is complete") {
    pruner->on_value(TrialId(5), 0, 1.0);
    pruner->claim(TrialId(5), 0);
    pruner->on_value(TrialId(5), 1, 1.0);
    pruner->on_complete(TrialId(5));
    CHECK(tell(*pruner, 6, {8.7}));  // of 1, 8, 9 and 99 the median is 8.5
  }
}

TEST_CASE("the median of averages forgives a slow start, and holds a trial against all epochs", "[pruners][median]") {
  const PrunerOptions options{MedianOfAverages{.ladder = {.max_budget = 3}, .others = {.startup_trials = 3}}};
  const auto pruner = make_pruner(options);
  CHECK_FALSE(tell(*pruner, 0, {9, 3, 1}));  // averages 9, 6, 4.33
  CHECK_FALSE(tell(*pruner, 1, {8, 4, 2}));  // 8, 6, 4.67
  CHECK_FALSE(tell(*pruner, 2, {99, 99, 99}));
  CHECK_FALSE(tell(*pruner, 3, {9, 6}));  // medians are 9, 6, 4.67 now; equal is not worse
  CHECK(tell(*pruner, 4, {9, 6.5}));
  CHECK(stop_reason(*pruner) ==
        "rung 1: its best, 6.5, is worse than 6, the median of averages of 3 completed trials at epoch 2");
}

TEST_CASE("averages are of all epochs up to the rung that are numbers", "[pruners][median]") {
  const auto pruner =
      make_pruner({MedianOfAverages{.ladder = {.min_budget = 3, .max_budget = 4}, .others = {.startup_trials = 1}}});
  pruner->on_curve(TrialId(0), {{1, 9}, {2, kNan}, {3, 3}});  // 6
  pruner->on_value(TrialId(0), 0, 3);
  pruner->claim(TrialId(0), 0);
  pruner->on_curve(TrialId(0), {{4, 1}});
  pruner->on_value(TrialId(0), 1, 1);
  pruner->on_curve(TrialId(1), {{1, 8}, {2, 7}, {3, 7}});
  pruner->on_value(TrialId(1), 0, 7);
  CHECK_THAT(stop_reason(*pruner), Contains("its best, 7, is worse than 6, the median of averages"));
}

TEST_CASE("a percentile lets the best part go on, whichever way is better", "[pruners][percentile]") {
  // Values are told negated where more is better: the best quarter of 1, 2, 3, 4, 5 is at or above 4.
  const auto pruner = make_pruner({quarter(1), {.maximize = true}});
  for (int t = 1; t <= 5; ++t) {
    pruner->on_value(TrialId(t), 1, -double(t));
    pruner->on_value(TrialId(10 + t), 0, -double(t));  // nobody at this rung is complete
    CHECK(pruner->next_stop() == std::nullopt);
  }
  const auto fresh = make_pruner({quarter(5), {.maximize = true}});
  for (int t = 5; t >= 1; --t) CHECK_FALSE(tell(*fresh, t, {-double(t), -double(t)}));
  CHECK_FALSE(tell(*fresh, 6, {-4.0}));
  CHECK(tell(*fresh, 7, {-3.9}));
  CHECK_THAT(stop_reason(*fresh), Contains("its best, 3.9, is worse than 4, percentile 25 of 5 completed trials"));
}

TEST_CASE("a threshold stops what leaves its bounds at the newest epoch", "[pruners][threshold]") {
  const auto pruner = make_pruner({Threshold{.ladder = {.max_budget = 3}, .lower = 0.1, .upper = 2.0}});
  CHECK_FALSE(tell(*pruner, 0, {2.0, 0.1, 7}));  // at the last rung nothing is judged
  CHECK(tell(*pruner, 1, {0.5, 2.5}));
  CHECK(stop_reason(*pruner) == "rung 1: 2.5 is above 2");
  pruner->on_gone(TrialId(1));
  CHECK(tell(*pruner, 2, {0.05}));
  pruner->on_gone(TrialId(2));

  SECTION("a metric that is no number stops, though the objective has a best epoch") {
    pruner->on_curve(TrialId(3), {{1, kNan}});
    pruner->on_value(TrialId(3), 0, 0.5);
    CHECK(stop_reason(*pruner) == "rung 0: not a number");
  }
  SECTION("bounds are as measured where more is better") {
    const auto accuracy = make_pruner({Threshold{.ladder = {.max_budget = 2}, .lower = 0.6}, {.maximize = true}});
    CHECK_FALSE(tell(*accuracy, 0, {-0.7}));
    CHECK(tell(*accuracy, 1, {-0.5}));
    CHECK(stop_reason(*accuracy) == "rung 0: 0.5 is below 0.6");
  }
}

TEST_CASE("patience counts epochs since the best", "[pruners][patience]") {
  const PrunerOptions options{Patience{.ladder = {.max_budget = 20}, .patience = 2}};
  CHECK_FALSE(tell(*make_pruner(options), 0, {5, 4, 5, 5, 3.9, 4, 4}));
  const auto pruner = make_pruner(options);
  CHECK(tell(*pruner, 0, {5, 4, 5, 5, 4}));  // as good is no progress
  CHECK(stop_reason(*pruner) == "rung 4: 3 epochs since its best, 4 at epoch 2; patience is 2");

  SECTION("progress must be more than min_delta") {
    const auto strict = make_pruner({Patience{.ladder = {.max_budget = 20}, .patience = 1, .min_delta = 0.5}});
    CHECK(tell(*strict, 0, {5, 4.7, 4.5}));
    const auto kind = make_pruner({Patience{.ladder = {.max_budget = 20}, .patience = 1, .min_delta = 0.5}});
    CHECK_FALSE(tell(*kind, 0, {5, 4.7, 4.4}));
  }
  SECTION("epochs between rungs count") {
    const auto coarse =
        make_pruner({Patience{.ladder = {.min_budget = 5, .max_budget = 20, .interval = 5}, .patience = 2}});
    coarse->on_curve(TrialId(0), {{1, 5}, {2, 4}, {3, 5}, {4, 5}, {5, 5}});
    coarse->on_value(TrialId(0), 0, 5.0);
    CHECK_THAT(stop_reason(*coarse), Contains("3 epochs since its best, 4 at epoch 2"));
  }
}

TEST_CASE("a trial that left neither stops nor goes on", "[pruners]") {
  const auto pruner = make_pruner({Threshold{.ladder = {.max_budget = 3}, .upper = 1.0}});
  pruner->on_value(TrialId(0), 0, 5.0);
  pruner->on_value(TrialId(1), 0, 0.5);
  pruner->on_gone(TrialId(0));
  pruner->on_gone(TrialId(1));
  CHECK(pruner->next_stop() == std::nullopt);
  CHECK(pruner->next() == std::nullopt);
}

TEST_CASE("curve-stopping pruners refuse options without sense", "[pruners]") {
  CHECK_THROWS_WITH(make_pruner({Threshold{}}), Contains("needs a lower or an upper bound"));
  CHECK_THROWS_WITH(make_pruner({Threshold{.lower = 2.0, .upper = 1.0}}), Contains("lower <= upper"));
  CHECK_THROWS_WITH(make_pruner({Percentile{.percentile = 100}}), Contains("below 100"));
  CHECK_THROWS_WITH(make_pruner({Patience{.patience = -1}}), Contains("patience >= 0"));
}

}  // namespace stopping_test
