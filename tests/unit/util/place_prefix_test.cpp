// SPDX-License-Identifier: Apache-2.0
#include "util/place_prefix.hpp"

#include "support/catch.hpp"

namespace place_prefix_test {

using namespace dlrun;

TEST_CASE("a fault's place stands in front of a message that does not name it", "[util]") {
  CHECK(place_prefix(Error(ErrorKind::usage, "no number", "", "t.csv:3")) == "t.csv:3: ");
  CHECK(place_prefix(Error(ErrorKind::usage, "t.csv:3 has no number", "", "t.csv:3")).empty());
  CHECK(place_prefix(Error(ErrorKind::usage, "no number")).empty());
}

}  // namespace place_prefix_test
