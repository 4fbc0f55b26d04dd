// SPDX-License-Identifier: Apache-2.0
// Student's t against SciPy 1.17.1: stats.t.interval, stats.t.ppf, stats.t.sf.
#include "statistics/student.hpp"

#include <limits>

#include "support/catch.hpp"

namespace student_test {

using namespace dlrun::statistics;

TEST_CASE("the interval of a mean is Student's", "[statistics][student]") {
  const auto interval = t_interval({1, 2, 3, 4}, 0.95);
  REQUIRE(interval);
  CHECK(interval->n == 4);
  CHECK(interval->mean == 2.5);
  CHECK(interval->standard_error == Approx(0.6454972243679028));
  CHECK(interval->low == Approx(0.4457397432).epsilon(1e-9));
  CHECK(interval->high == Approx(4.5542602568).epsilon(1e-9));
  CHECK_FALSE(t_interval({1}, 0.95));
}

TEST_CASE("quantiles and tails are Student's", "[statistics][student]") {
  CHECK(t_quantile(0.975, 10) == Approx(2.2281388520).epsilon(1e-9));
  CHECK(t_upper(2, 10) == Approx(0.0366940174).epsilon(1e-8));
  CHECK(t_two_sided(-2, 10) == Approx(0.0733880348).epsilon(1e-8));
  CHECK(t_upper(std::numeric_limits<double>::infinity(), 3) == 0);
  CHECK(t_upper(-std::numeric_limits<double>::infinity(), 3) == 1);
}

}  // namespace student_test
