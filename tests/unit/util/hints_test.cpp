// SPDX-License-Identifier: Apache-2.0
#include "util/hints.hpp"
#include "support/catch.hpp"

namespace hints_test {

using namespace dlrun;

TEST_CASE("a name is told the nearest, or what there is", "[util][hints]") {
  CHECK(hint_for_name("strid", {"k", "stride"}) == "did you mean 'stride'?");
  CHECK(hint_for_name("colour", {"k", "stride"}) == "there are k, stride");
  CHECK_THAT(hint_for_name("colour", std::vector<std::string>(30, "k")), Contains("k, …"));
}

TEST_CASE("a long value is cut between characters", "[util][hints]") {
  std::string accents;
  for (int i = 0; i < 50; ++i) accents += "é";
  const std::string text = quoted(Json(accents));
  CHECK(text.size() <= 64);
  CHECK_NOTHROW(Json(text).dump());  // throws on half a character
  CHECK_THAT(quoted(Json("x" + accents)), Contains("é…"));
  CHECK(quoted(7) == "7");
}

}  // namespace hints_test
