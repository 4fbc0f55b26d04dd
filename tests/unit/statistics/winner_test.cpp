// SPDX-License-Identifier: Apache-2.0
// Values of the best of several. Figures from outside were integrated by SciPy 1.17 (scipy.integrate.quad) from the
// definition in winner.hpp, or follow in closed form.
#include "statistics/winner.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "util/random.hpp"

namespace winner_test {

using namespace dlrun::statistics;

TEST_CASE("two contenders agree with the closed form", "[statistics][winner]") {
  // r = sqrt(2 gamma); judged: d P(Z < d / r) - r phi(d / r) / gamma; 1.409421 times the step from 1 to 1/2 is added
  const auto [distance, value] =
      GENERATE(table<double, double>({{0, -1.1272591318684995}, {0.5, -0.5662522894255289}, {1, 0.40891008492343517}}));
  CHECK(shrunken_best({0, distance}, {1, 0}).value == Approx(value).margin(1e-9));
  CHECK(shrunken_best({distance, 0}, {1, 0}).value == Approx(value).margin(1e-9));
}

TEST_CASE("several contenders agree with integration by SciPy", "[statistics][winner]") {
  const Shrunken found = shrunken_best({1, 0.7, 0.2, -3}, {0.5, 0.3});
  CHECK(found.value == Approx(0.5067233585490648).margin(1e-9));
  CHECK(found.high - found.value == Approx(1.4031206810555317).margin(1e-9));
  CHECK(found.low == Approx(-0.8963973225064669).margin(1e-9));
}

TEST_CASE("a contender that nobody can overtake keeps its value", "[statistics][winner]") {
  CHECK(shrunken_best({0.7}, {0.1, 0}).value == 0.7);
  CHECK(shrunken_best({0.7, 0.2, 0.1}, {0.01, 0}).value == Approx(0.7).margin(1e-9));
  CHECK(shrunken_best({0.7, 0.7}, {0, 0}).value == 0.7);
}

TEST_CASE("the value is never above the highest one", "[statistics][winner]") {
  const double second = GENERATE(0.0, 0.2, 0.5, 0.8, 1.0);
  CHECK(shrunken_best({1, second}, {0.3, 0}).value <= 1);
}

TEST_CASE("few degrees of freedom widen the interval", "[statistics][winner]") {
  const Shrunken found = shrunken_best({1, 0}, {0.01, 0.2, 4});
  CHECK(found.high - found.value == Approx(2.776445 * std::hypot(0.013, 0.2)).epsilon(1e-6));  // t of 4
}

TEST_CASE("the luck of members is a two-way analysis of variance", "[statistics][winner]") {
  // by numpy: residual mean square / 3 members; variance of the members' means less its own part
  const auto found = luck_of_members({{1, 2, 6}, {2, 2, 8}, {0, 1, 2}, {3, 5, 4}});
  REQUIRE(found);
  CHECK(found->own == Approx(0.9428090415820634));
  CHECK(found->shared == Approx(0.927960727138337));
  CHECK(found->degrees == 6);
  CHECK_FALSE(luck_of_members({{1, 2, 3}}));
  CHECK_FALSE(luck_of_members({{1}, {2}}));
}

TEST_CASE("the value of the best of equals is not biased", "[statistics][winner]") {
  // ten contenders of true value 0; the highest measured value is 1.54 on average
  dlrun::RandomStream random(1, {"winner"});
  double sum = 0, highest = 0;
  constexpr int kSearches = 400;
  for (int i = 0; i < kSearches; ++i) {
    std::vector<double> values(10);
    for (double& value : values) value = random.normal();
    sum += shrunken_best(values, {1, 0}).value / kSearches;
    highest += *std::max_element(values.begin(), values.end()) / kSearches;
  }
  CHECK(std::abs(sum) < 0.2);  // 3 standard errors
  CHECK(highest > 1.4);
}

}  // namespace winner_test
