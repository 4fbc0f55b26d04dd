// SPDX-License-Identifier: Apache-2.0
#include "statistics/power.hpp"

#include "support/catch.hpp"

namespace power_test {

using namespace dlrun::statistics;

TEST_CASE("power of the paired t test for effects in standard deviations of a run", "[statistics][power]") {
  // correlation 1/2, so that the differences spread as the runs do
  const auto [n, d, alpha, power] = GENERATE(table<int, double, double, double>({{5, 1, .05, .40},
                                                                                 {5, 2, .05, .91},
                                                                                 {8, 1, .05, .68},
                                                                                 {10, 1, .05, .80},
                                                                                 {15, 1, .05, .95},
                                                                                 {20, 1, .05, .99},
                                                                                 {10, 1, .005, .39},
                                                                                 {10, 2, .005, .98},
                                                                                 {20, 1, .005, .88}}));
  CHECK(paired_t_power(paired_size(d, 0.5), n, alpha) == Approx(power).margin(0.015));
}

TEST_CASE("power of the equivalence test where there is nothing", "[statistics][power]") {
  const auto [n, power] = GENERATE(table<int, double>({{5, .30}, {8, .64}, {12, .89}, {20, .99}}));
  CHECK(equivalence_power(1, n, 0.05) == Approx(power).margin(0.015));
}

TEST_CASE("fewer replicates cannot conclude", "[statistics][power]") {
  const auto [k, n] = GENERATE(table<int, int>({{1, 6}, {3, 7}, {5, 8}, {10, 9}, {20, 10}}));
  CHECK(least_replicates_by_floor(k, 0.05) == n);
}

TEST_CASE("the least number of replicates is the first with enough power", "[statistics][power]") {
  const int n = least_replicates_by_power(1, 0.05, 0.8).value();
  CHECK(n == 10);
  CHECK(paired_t_power(1, n, 0.05) >= 0.8);
  CHECK(paired_t_power(1, n - 1, 0.05) < 0.8);
  const int m = least_replicates_by_equivalence(1, 0.05, 0.8).value();
  CHECK(equivalence_power(1, m, 0.05) >= 0.8);
  CHECK(equivalence_power(1, m - 1, 0.05) < 0.8);
  CHECK_FALSE(least_replicates_by_power(1e-6, 0.05, 0.8));
}

// By scipy.stats.nct and brentq.
TEST_CASE("the least effect is found with just that power", "[statistics][power]") {
  CHECK(least_effect_by_power(9, .05, .8) == Approx(1.0669732).epsilon(1e-4));
  CHECK(least_effect_by_power(540, .05 / 8, .8) == Approx(0.1544219).epsilon(1e-4));
}

}  // namespace power_test
