// SPDX-License-Identifier: Apache-2.0
// Forms of values: what fits, and what is said of what does not.
#include "util/value_form.hpp"
#include "support/catch.hpp"

namespace value_form_test {

using namespace dlrun;

TEST_CASE("a value has one of the forms its type names", "[util][form]") {
  const ValueForm window{"int-or-pair-or-enum:same|valid", 1, std::nullopt, 100};
  CHECK(has_form(3, window));
  CHECK(has_form({3, 4}, window));
  CHECK(has_form("same", window));
  CHECK_FALSE(has_form(0, window));
  CHECK_FALSE(has_form(101, window));
  CHECK_FALSE(has_form({3, 4, 5}, window));
  CHECK_FALSE(has_form({3, 0}, window));
  CHECK_FALSE(has_form(3.5, window));
  CHECK_FALSE(has_form(true, window));
  CHECK_FALSE(has_form("full", window));
  CHECK_FALSE(has_form(nullptr, window));
}

TEST_CASE("single forms", "[util][form]") {
  CHECK(has_form(2, {"float", 0, 2}));
  CHECK_FALSE(has_form(2.1, {"float", 0, 2}));
  CHECK(has_form(false, {"bool"}));
  CHECK_FALSE(has_form(0, {"bool"}));
  CHECK(has_form({1, 28, 28}, {"shape", 1}));
  CHECK_FALSE(has_form(Json::array(), {"shape", 1}));
  CHECK(has_form({"a", -1}, {"list"}));
  CHECK(has_form("a", {"list"}));
  CHECK_FALSE(has_form({1.5}, {"list"}));
  CHECK(has_form(Json::object(), {"map"}));
}

TEST_CASE("a misfit is told what would be right", "[util][form]") {
  CHECK(describe_misfit("k", {"int-or-pair", 1, std::nullopt, 100}, "big") ==
        "'k' must be a whole number of at least 1, or a pair of them, [vertical, horizontal], but is \"big\"");
  CHECK(describe_misfit("k", {"int", 1, std::nullopt, 100}, 101) ==
        "'k' must be a whole number from 1 to 100, but is 101");
  CHECK(describe_misfit("p", {"float", 0, 1}, 2) == "'p' must be a number from 0 to 1, but is 2");
  CHECK(hint_for_value({"int-or-enum:same|valid"}, "sam") == "did you mean 'same'?");
  CHECK(hint_for_value({"int-or-enum:same|valid"}, 3).empty());
}

TEST_CASE("a name is told the nearest, or what there is", "[util][form]") {
  CHECK(hint_for_name("strid", {"k", "stride"}) == "did you mean 'stride'?");
  CHECK(hint_for_name("colour", {"k", "stride"}) == "there are k, stride");
  CHECK_THAT(hint_for_name("colour", std::vector<std::string>(30, "k")), Contains("k, …"));
}

TEST_CASE("a long value is cut between characters", "[util][form]") {
  std::string accents;
  for (int i = 0; i < 50; ++i) accents += "é";
  const std::string text = quoted(Json(accents));
  CHECK(text.size() <= 64);
  CHECK_NOTHROW(Json(text).dump());  // throws on half a character
  CHECK_THAT(quoted(Json("x" + accents)), Contains("é…"));
  CHECK(quoted(7) == "7");
}

}  // namespace value_form_test
