// SPDX-License-Identifier: Apache-2.0
#include "statistics/equivalence.hpp"

#include "support/catch.hpp"

namespace equivalence_test {

using namespace dlrun::statistics;

namespace {

Effect effect(double mean, double error) {
  Effect out;
  out.degrees = 3;
  out.mean = mean;
  out.standard_error = error;
  return out;
}

}  // namespace

TEST_CASE("two one-sided tests ask the nearer bound", "[statistics][equivalence]") {
  // Student's table for 3 degrees of freedom: 2.353363 is passed by 0.05, 4.540703 by 0.01.
  for (const double sign : {-1.0, 1.0}) {
    CHECK(equivalence_p(effect(sign * 0.1, 0.1 / 2.353363), 0.2) == Approx(0.05).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.1, 0.1 / 4.540703), 0.2) == Approx(0.01).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.3, 0.1 / 2.353363), 0.2) == Approx(0.95).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.2, 0.1), 0.2) == Approx(0.5));
    CHECK(equivalence_p(effect(sign * 0.2, 0), 0.2) == 1);  // at the bound is not within
  }
  CHECK(equivalence_p(effect(0, 0.1), 0) == 1);
}

}  // namespace equivalence_test
