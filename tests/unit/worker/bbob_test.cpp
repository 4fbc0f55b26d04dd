// SPDX-License-Identifier: Apache-2.0
// BBOB's functions against the values of the package `ioh`.
#include "worker/bbob/bbob.hpp"

#include <vector>

#include "support/catch.hpp"

namespace bbob_test {

using namespace dlrun::worker;

namespace {

struct Measured {
  int id, instance;
  double value;
  std::vector<double> x;
};

const std::vector<Measured> kMeasured = {
#include "bbob_values.inc"
};

}  // namespace

TEST_CASE("BBOB's functions have the values of ioh", "[worker][bbob]") {
  REQUIRE(kMeasured.size() == 4 * bbob::kFunctions);
  for (const Measured& one : kMeasured) {
    INFO("function " << one.id << ", instance " << one.instance);
    CHECK(bbob::value(one.id, one.instance, one.x) == Approx(one.value).epsilon(1e-9));
  }
}

TEST_CASE("no value of BBOB's functions is below the least one", "[worker][bbob]") {
  CHECK(bbob::least_value(1, 1) == Approx(79.48));  // of ioh and COCO
  for (const Measured& one : kMeasured) CHECK(one.value >= bbob::least_value(one.id, one.instance));
}

}  // namespace bbob_test
