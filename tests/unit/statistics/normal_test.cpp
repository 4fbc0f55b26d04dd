// SPDX-License-Identifier: Apache-2.0
#include "statistics/normal.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "support/catch.hpp"

namespace normal_test {

using namespace dlrun::statistics;

/// Boost's value in long double, rounded once.
double theirs(double p) { return double(quantile(boost::math::normal_distribution<long double>(), (long double)(p))); }

TEST_CASE("quantiles of the normal distribution agree with Boost's", "[statistics][normal]") {
  for (double p = 1e-300; p < 1; p = p < 1e-3 ? p * 1.7 : p + 1e-3) {
    CAPTURE(p);
    CHECK(std::abs(normal_quantile(p) - theirs(p)) <= 1e-15 * std::abs(theirs(p)) + 1e-16);
  }
}

TEST_CASE("quantile and probability are inverse to each other", "[statistics][normal]") {
  CHECK(normal_below(0) == 0.5);
  CHECK(normal_quantile(0.5) == 0);
  for (const double z : {-37.0, -8.5, -3.0, -1.0, -0.25, 0.25, 1.0, 3.0}) {
    CHECK(normal_quantile(normal_below(z)) == Approx(z).epsilon(1e-12));
  }
}

TEST_CASE("a probability of 0 or 1 has an infinite quantile", "[statistics][normal]") {
  CHECK(normal_quantile(1) == HUGE_VAL);
  CHECK(normal_quantile(0) == -HUGE_VAL);
}

}  // namespace normal_test
