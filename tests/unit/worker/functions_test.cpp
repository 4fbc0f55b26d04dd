// SPDX-License-Identifier: Apache-2.0
#include "worker/functions.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

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
