// SPDX-License-Identifier: Apache-2.0
#include "statistics/paired.hpp"

#include <cmath>

#include "statistics/equivalence.hpp"
#include "statistics/precision.hpp"
#include "statistics/sign_flip.hpp"
#include "support/catch.hpp"

namespace paired_test {

using namespace dlrun::statistics;

TEST_CASE("a contribution is positive where the component helps", "[statistics][paired]") {
  CHECK(gains({3, 5}, {2, 5}, true) == std::vector<double>{1, 0});    // accuracy falls without it
  CHECK(gains({3, 5}, {2, 5}, false) == std::vector<double>{-1, 0});  // loss falls without it
  CHECK(superiority({1, 0, -1, 2}) == 2.5 / 4);
}

TEST_CASE("Student's own sleep data, the second drug against the first", "[statistics][paired]") {
  // Student, Biometrika 1908: ten patients, hours gained; t = 4.06 on 9 degrees of freedom
  const std::vector<double> first = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> second = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const auto effect = effect_of(gains(second, first, true));
  REQUIRE(effect);
  CHECK(effect->mean == Approx(1.58));
  CHECK(effect->t == Approx(4.0621).epsilon(1e-4));
  CHECK(effect->p == Approx(0.002833).epsilon(1e-3));
  CHECK(effect->low == Approx(0.7001).epsilon(1e-4));
  CHECK(effect->d_z == Approx(1.2846).epsilon(1e-4));
  const auto narrow = effect_of(gains(second, first, true), {.level = 0.9});  // SciPy's ttest_rel
  CHECK(narrow->low == Approx(0.86699473).epsilon(1e-7));
  CHECK(narrow->high == Approx(2.29300527).epsilon(1e-7));
}

TEST_CASE("differences without any spread are judged by their signs", "[statistics][paired]") {
  const auto same = effect_of(gains({0.3, 0.4, 0.5, 0.6}, {0.2, 0.3, 0.4, 0.5}, true));  // equal but for rounding
  REQUIRE(same);
  CHECK(same->p == 2.0 / 16);
  CHECK(std::isinf(same->d_z));
  CHECK(same->low == same->high);
  const auto none = effect_of({0, 0, 0});
  CHECK(none->p == 1);
  CHECK(none->d_z == 0);
  CHECK(equivalence_p(*none, 0.1) == 0);
  CHECK(equivalence_p(*same, 0.05) == 1);
  CHECK_FALSE(effect_of({1.0}));
}

TEST_CASE("what rounding leaves of equal values is 0", "[statistics][paired]") {
  CHECK(0.1 + 0.2 != 0.3);
  CHECK(gains({0.1 + 0.2}, {0.3}, true) == std::vector<double>{0});
  CHECK(at_precision(1e-17, 0.9) == 0);
  CHECK(at_precision(-1e-15, 0) == -1e-15);  // nothing to compare it with
  CHECK(at_precision(0.25, 0.5) == 0.25);
  CHECK(at_precision(1e-12, 0.9) == Approx(1e-12).epsilon(1e-2));  // no rounding of values near 1 is as large
  const auto swapped = effect_of(gains({0.8539, 0.8483, 0.8427}, {0.8483, 0.8427, 0.8539}, true)).value();
  CHECK(swapped.mean == 0);  // the differences of 0.0056, 0.0056 and -0.0112 sum to exactly 0
  CHECK(swapped.sd > 0);
}

TEST_CASE("replicates with splits of their own count for less", "[statistics][paired]") {
  const std::vector<double> differences = {1, 2, 3, 4, 5};
  const auto plain = effect_of(differences), resampled = effect_of(differences, {.test_share = 0.25});
  CHECK(resampled->standard_error / plain->standard_error == Approx(std::sqrt((0.2 + 0.25) / 0.2)));
  CHECK(resampled->d_z == plain->d_z);
}

TEST_CASE("sign flips are counted, and drawn alike where they are many", "[statistics][sign-flip]") {
  CHECK(sign_flip_p({1, 2, 3}) == 2.0 / 8);
  CHECK(sign_flip_p({1, 2, -3}) == 1);  // a sum of 0
  CHECK(sign_flip_p({1, 1, 1, -1}) == Approx(10.0 / 16));
  CHECK(sign_flip_p(std::vector<double>(16, 0.1)) == 2.0 / 65536);
  std::vector<double> differences;
  for (int i = 0; i < 17; ++i) differences.push_back(i % 4 == 0 ? -1.0 : 1.0);  // 12 of 17: a binomial tail
  CHECK(sign_flip_p(differences) == Approx(0.14346).margin(0.01));
  CHECK(sign_flip_p(differences) == Approx(0.1458427079).epsilon(1e-9));  // the draws are part of the format
  CHECK(sign_flip_p({}) == 1);
}

TEST_CASE("drawn flips count the given signs among them", "[statistics][sign-flip]") {
  // Phipson and Smyth 2010 (arXiv:1603.05766): (b + 1) / (m + 1), never 0. Of 40 equal differences no drawn signs are
  // as far: their chance is 2 / 2^40 each.
  CHECK(sign_flip_p(std::vector<double>(40, 0.1)) == 1.0 / 20001);
  // All 17 are tried no more: 2 / 2^17 of 20,000 draws are 0.3 in the mean.
  CHECK(sign_flip_p(std::vector<double>(17, -2.5)) >= 1.0 / 20001);
  CHECK(sign_flip_p(std::vector<double>(17, -2.5)) <= 4.0 / 20001);
}

}  // namespace paired_test
