// SPDX-License-Identifier: Apache-2.0
// Mean squares by statsmodels' anova_lm(ols('y ~ C(r) + C(i)')), p values and intervals by scipy.stats.t.
#include "statistics/claimed.hpp"

#include "statistics/equivalence.hpp"
#include "statistics/summary.hpp"
#include "support/catch.hpp"
#include "util/random.hpp"

namespace claimed_test {

using namespace dlrun::statistics;

namespace {

constexpr double kExact = 1e-9;

Approx exactly(double value) { return Approx(value).epsilon(kExact); }

const std::vector<ExampleValues> kCrossed = {{{3, 5, 8, 9, 20}, {.1, .3, -.2, .5, .4}},
                                             {{3, 5, 8, 9, 20}, {.2, .6, -.1, .4, .9}},
                                             {{3, 5, 8, 9, 20}, {.0, .5, .1, .2, .6}}};

constexpr std::size_t kGroups = 30, kSize = 5;

/// Runs without any effect that judge the same examples, of which groups are alike.
std::vector<ExampleValues> null_runs(dlrun::RandomStream& random, std::size_t runs) {
  std::vector<ExampleValues> out(runs);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const double luck = random.normal();
    for (std::size_t i = 0; i < kSize; ++i) {
      const double example = luck + random.normal();
      for (ExampleValues& run : out) {
        run.rows.push_back(std::int64_t(group * kSize + i));
        run.values.push_back(example + random.normal());
      }
    }
  }
  return out;
}

std::vector<ExampleValues> by_group(const std::vector<ExampleValues>& runs) {
  std::vector<std::int64_t> groups;
  for (const std::int64_t row : runs.front().rows) groups.push_back(row / std::int64_t(kSize));
  std::vector<ExampleValues> out;
  for (const ExampleValues& run : runs) out.push_back(clustered(run, groups));
  return out;
}

}  // namespace

TEST_CASE("seeds and examples are crossed", "[statistics][claimed]") {
  const ClaimedEffect found = *claimed_effect(kCrossed);
  CHECK_FALSE(found.luck.has_folds);
  CHECK(found.luck.replicates == exactly(.042 / 15));
  CHECK(found.luck.examples == exactly(.715 / 3 / 15));
  CHECK(found.luck.both == exactly(.076 / 3 / 15));
  CHECK(found.effect.n == 3);
  CHECK(found.effect.mean == exactly(.3));
  CHECK(found.effect.standard_error == exactly(.13038404810405294));
  CHECK(found.effect.degrees == exactly(4.288422961721304));
  CHECK(found.effect.p == exactly(0.07841701429086073));
  CHECK(found.effect.low == exactly(-0.052601403772490396));
  CHECK(found.effect.high == exactly(0.6526014037724903));
  CHECK(equivalence_p(found.effect, .6526014037724903) == exactly(.025));
}

TEST_CASE("of folds the larger variance counts", "[statistics][claimed]") {
  const ClaimedEffect folds =
      *claimed_effect({{{0, 1, 5}, {.1, .3, -.2}}, {{2, 3, 4}, {.5, .4, .2}}, {{6, 7, 8, 9}, {.6, .8, .7, .9}}});
  CHECK(folds.luck.has_folds);
  CHECK(folds.effect.mean == exactly(.43));
  CHECK(folds.luck.examples == exactly(0.011566666666666671));
  CHECK(folds.luck.replicates == exactly(0.042939));
  CHECK(folds.effect.degrees == 2);
  CHECK(folds.effect.p == exactly(0.17365430766295756));
  const ClaimedEffect rows = *claimed_effect({{{0, 1}, {.1, .9}}, {{2, 3}, {.5, .4}}, {{4, 5}, {.2, .6}}});
  CHECK(rows.luck.replicates == exactly(.000833333333333333));
  CHECK(rows.effect.degrees == 5);
  CHECK(rows.effect.p == exactly(0.012297230662462025));
}

// Sums of squares by numpy: of rows, of columns and of cells, each times n / (n - 1).
TEST_CASE("examples that several folds judged are told from these folds", "[statistics][claimed]") {
  const ClaimedEffect found = *claimed_effect(
      {{{0, 1, 2, 3}, {.1, .3, .2, .3}}, {{2, 3, 4, 5}, {.5, .4, .6, .8}}, {{0, 1, 4, 5}, {-.2, .1, .4, .2}}});
  CHECK(found.luck.has_folds);
  CHECK(found.luck.examples == exactly(0.00723611111111111));
  CHECK(found.luck.replicates == exactly(0.018611111111111113));
  CHECK(found.luck.both == exactly(0.005675505050505051));
  CHECK(found.effect.mean == exactly(0.30833333333333335));
  CHECK(found.effect.standard_error * found.effect.standard_error == exactly(0.020171717171717174));
  CHECK(found.effect.degrees == exactly(2.1773218192835717));
  CHECK(found.effect.p == exactly(0.151659671755749));
}

TEST_CASE("the variance is never less than that of examples alone", "[statistics][claimed]") {
  // seeds agree better than chance would have it: their mean square is 0, that of the residual is not
  const ClaimedEffect found = *claimed_effect({{{0, 1}, {1, 0}}, {{0, 1}, {.5, .5}}});
  CHECK(found.luck.replicates == 0);
  CHECK(found.luck.both > 0);
  CHECK(found.effect.standard_error * found.effect.standard_error == exactly(found.luck.examples));
  CHECK(found.effect.degrees == 1);
}

TEST_CASE("what changes no example has no effect", "[statistics][claimed]") {
  const ClaimedEffect none = *claimed_effect({{{0, 1}, {0, 0}}, {{2, 3}, {0, 0}}});
  CHECK(none.effect.p == 1);
  CHECK(none.effect.mean == 0);
  CHECK(none.effect.low == 0);
  const ClaimedEffect all = *claimed_effect({{{0, 1}, {1, 1}}, {{2, 3}, {1, 1}}});
  CHECK(all.effect.p == .5);
}

TEST_CASE("one replicate, or one example, claims nothing", "[statistics][claimed]") {
  CHECK_FALSE(claimed_effect({{{0, 1}, {1, 0}}}).has_value());
  CHECK_FALSE(claimed_effect({{{0}, {1}}, {{0}, {0}}}).has_value());
  CHECK_FALSE(claimed_effect({{{0, 1}, {1, 0}}, {{}, {}}}).has_value());
}

// The variance by statsmodels: OLS(x, 1).fit(cov_type='cluster').
TEST_CASE("the spread of clusters is the cluster-robust one", "[statistics][claimed]") {
  const ExampleValues run{{0, 1, 2, 3, 4, 5, 6}, {.1, .4, .3, .9, .7, .2, .6}};
  const ExampleValues found = clustered(run, {4, 4, 4, 1, 1, 7, 7});
  CHECK(found.rows == std::vector<std::int64_t>{1, 4, 7});
  CHECK(mean(found.values) == exactly(3.2 / 7));
  const double spread = standard_deviation(found.values);
  CHECK(spread * spread / 3 == exactly(0.024789670970428983));
  CHECK(clustered(run, {}).values == run.values);
}

// Half of the luck of an example is its group's. Judged example by example, 1 study in 5 errs.
TEST_CASE("groups judged as such find nothing where nothing is", "[statistics][claimed]") {
  dlrun::RandomStream random(3, {"groups"});
  constexpr int kStudies = 400;
  int false_of_groups = 0, false_of_examples = 0;
  for (int study = 0; study < kStudies; ++study) {
    const std::vector<ExampleValues> runs = null_runs(random, 4);
    false_of_groups += claimed_effect(by_group(runs))->effect.p < .05 ? 1 : 0;
    false_of_examples += claimed_effect(runs)->effect.p < .05 ? 1 : 0;
  }
  CAPTURE(false_of_groups, false_of_examples);
  CHECK(false_of_groups < .08 * kStudies);
  CHECK(false_of_examples > .15 * kStudies);
}

TEST_CASE("values of runs are combined over the examples of all", "[statistics][claimed]") {
  const ExampleValues a{{1, 2, 4}, {1, 2, 3}}, b{{2, 3, 4}, {10, 20, 30}};
  const ExampleValues both = combined({{&a, 1}, {&b, -1}});
  CHECK(both.rows == std::vector<std::int64_t>{2, 4});
  CHECK(both.values == std::vector<double>{-8, -27});
  CHECK(combined({{&a, -1}}).values == std::vector<double>{-1, -2, -3});
}

}  // namespace claimed_test
