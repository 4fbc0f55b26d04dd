// SPDX-License-Identifier: Apache-2.0
// Gangs of unusual shapes.
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"
#include "util/error.hpp"

namespace extremes_test {

using namespace parallel_test;

TEST_CASE("a straggler beyond the last rank is an error that names both", "[parallel][extremes]") {
  Setting made;
  made.parallel.ranks = 4;
  made.cluster.stragglers = {{4, 2}};
  CHECK_THROWS_WITH(Run<float>(made), "a straggler has rank 4, but the last rank is 3");
}

}  // namespace extremes_test
