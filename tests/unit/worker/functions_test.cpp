// SPDX-License-Identifier: Apache-2.0
#include "worker/functions.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace functions_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

double at(const std::string& name, const std::vector<double>& x) { return evaluate(find_function(name), x); }

}  // namespace

TEST_CASE("the test functions have their published minima", "[worker][functions]") {
  CHECK(at("branin", {3.141592653589793, 2.275}) == Approx(0.397887).epsilon(1e-5));
  CHECK(at("branin", {-3.141592653589793, 12.275}) == Approx(0.397887).epsilon(1e-5));
  CHECK(at("hartmann6", {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}) == Approx(-3.32237).epsilon(1e-5));
  CHECK(at("sphere", {0, 0, 0}) == 0);
  CHECK(at("sphere", {3, 4}) == 25);
  CHECK(at("quadratic", {0.3, 0.3}) == Approx(0).margin(1e-15));
  CHECK(at("rosenbrock", {1, 1, 1}) == 0);
  CHECK(at("rosenbrock", {0, 0}) == 1);
  CHECK(at("rastrigin", {0, 0}) == Approx(0).margin(1e-12));
  CHECK(at("ackley", {0, 0, 0}) == Approx(0).margin(1e-12));
  CHECK(at("levy", {1, 1, 1}) == Approx(0).margin(1e-12));
  CHECK(at("styblinski_tang", {-2.903534, -2.903534}) == Approx(-39.16617 * 2).epsilon(1e-6));
}

TEST_CASE("functions of several values have their published fronts", "[worker][functions]") {
  const auto all = [](const std::string& name, const std::vector<double>& x) {
    return evaluate_all(find_function(name), x);
  };
  CHECK(all("zdt1", {0.25, 0, 0}) == std::vector<double>{0.25, 0.5});
  CHECK(all("zdt1", {0.25, 1, 1})[1] == Approx(10 - std::sqrt(2.5)));
  CHECK(all("zdt2", {0.5, 0, 0}) == std::vector<double>{0.5, 0.75});
  CHECK(all("zdt3", {0.25, 0, 0})[1] == Approx(1 - 0.5 - 0.25));  // sin(2.5 pi) = 1
  const auto sphere = all("dtlz2", {0.3, 0.8, 0.5, 0.5});
  CHECK(sphere[0] * sphere[0] + sphere[1] * sphere[1] + sphere[2] * sphere[2] == Approx(1));
  CHECK(all("bnh", {0, 0}) == std::vector<double>{0, 50, 25, 73});
  CHECK(all("bnh", {5, 3}) == std::vector<double>{136, 4, 9, 45});
  CHECK(all("c2_dtlz2", {0.5, 0.5})[2] == Approx(-0.04));  // the middle of the front
  CHECK(all("c2_dtlz2", {0.25, 0.5})[2] > 0);
  CHECK(all("gramacy", {0.1954, 0.4044})[0] == Approx(0.5998));
  CHECK(all("gramacy", {0.1954, 0.4044})[1] == Approx(0).margin(1e-3));
  CHECK_THROWS_WITH(all("zdt1", {0.5}), Contains("at least 2"));
}

TEST_CASE("a function says what it needs", "[worker][functions]") {
  CHECK_THROWS_WITH(at("branin", {1}), Contains("'branin' needs 2 numeric parameters, but has 1"));
  CHECK_THROWS_WITH(at("sphere", {}), Contains("at least one"));
  try {
    find_function("spere");
    FAIL("found");
  } catch (const Error& fault) {
    CHECK(fault.hint() == "did you mean 'sphere'?");
  }
}

}  // namespace functions_test
