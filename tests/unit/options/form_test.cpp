// SPDX-License-Identifier: Apache-2.0
// Forms of values: which fit, and the message about one that does not.
#include "options/form.hpp"
#include "support/catch.hpp"

namespace form_test {

using namespace dlrun;
using options::describe_misfit;
using options::Form;
using options::has_form;
using options::hint_for_value;
using options::integer;
using options::key;

TEST_CASE("a value has one of the forms of its key", "[options][form]") {
  const options::Key window = integer("k", "").or_a(Form::pair).or_word("same").or_word("valid").from(1);
  CHECK(has_form(3, window, 100));
  CHECK(has_form({3, 4}, window, 100));
  CHECK(has_form("same", window, 100));
  CHECK_FALSE(has_form(0, window, 100));
  CHECK_FALSE(has_form(101, window, 100));
  CHECK_FALSE(has_form({3, 4, 5}, window, 100));
  CHECK_FALSE(has_form({3, 0}, window, 100));
  CHECK_FALSE(has_form(3.5, window, 100));
  CHECK_FALSE(has_form(true, window, 100));
  CHECK_FALSE(has_form("full", window, 100));
  CHECK_FALSE(has_form(nullptr, window, 100));
}

TEST_CASE("single forms", "[options][form]") {
  CHECK(has_form(2, options::real("p", "").from(0).to(2)));
  CHECK_FALSE(has_form(2.1, options::real("p", "").from(0).to(2)));
  CHECK(has_form(false, options::boolean("b", "")));
  CHECK_FALSE(has_form(0, options::boolean("b", "")));
  CHECK(has_form("a", options::choice("c", "", {"a", "b"})));
  CHECK_FALSE(has_form("c", options::choice("c", "", {"a", "b"})));
  CHECK(has_form({1, 28, 28}, key(Form::shape, "s", "").from(1)));
  CHECK_FALSE(has_form({1, 0}, key(Form::shape, "s", "").from(1)));
  CHECK_FALSE(has_form({1, 2, 3, 4, 5}, key(Form::shape, "s", "")));
  CHECK_FALSE(has_form(Json::array(), key(Form::shape, "s", "")));
  CHECK(has_form({1, 2, 3, 4, 5}, key(Form::integers, "s", "")));
  CHECK(has_form(0.5, key(Form::numbers, "n", "").from(0)));
  CHECK(has_form({0.5, 1}, key(Form::numbers, "n", "").from(0)));
  CHECK_FALSE(has_form({0.5, -1}, key(Form::numbers, "n", "").from(0)));
  CHECK_FALSE(has_form(Json::array(), key(Form::numbers, "n", "")));
  CHECK(has_form({"a", -1}, key(Form::columns, "l", "")));
  CHECK(has_form("a", key(Form::columns, "l", "")));
  CHECK_FALSE(has_form({1.5}, key(Form::columns, "l", "")));
  CHECK(has_form({{"x", {"a", 1}}}, key(Form::named_columns, "l", "")));
  CHECK_FALSE(has_form({{"x", {"a", 1.5}}}, key(Form::named_columns, "l", "")));
  CHECK(has_form({{"x", "a"}}, key(Form::names, "n", "")));
  CHECK_FALSE(has_form({{"x", 1}}, key(Form::names, "n", "")));
  CHECK(has_form(Json::object(), options::table("m", "", {})));
}

TEST_CASE("a bound that lies outside itself is no value", "[options][form]") {
  const options::Key share = options::real("p", "").above(0).below(1);
  CHECK(has_form(0.5, share));
  CHECK_FALSE(has_form(0, share));
  CHECK_FALSE(has_form(1, share));
  CHECK(describe_misfit(share, 1) == "'p' must be a number above 0 and below 1, but is 1");
  CHECK(describe_misfit(options::real("p", "").to(1), 2) == "'p' must be a number of at most 1, but is 2");
}

TEST_CASE("a misfit is told what would be right", "[options][form]") {
  CHECK(describe_misfit(integer("k", "").or_a(Form::pair).from(1), "big", 100) ==
        "'k' must be a whole number of at least 1, or a pair of them, [vertical, horizontal], but is \"big\"");
  CHECK(describe_misfit(integer("k", "").from(1), 101, 100) == "'k' must be a whole number from 1 to 100, but is 101");
  CHECK(describe_misfit(options::real("p", "").from(0).to(1), 2) == "'p' must be a number from 0 to 1, but is 2");
  CHECK(describe_misfit(options::choice("t", "", {"auto", "class"}).or_a(Form::names), 2) ==
        "'t' must be one of auto, class, or a map of names to texts, but is 2");
  const options::Key pad = integer("pad", "").or_word("same").or_word("valid");
  CHECK(describe_misfit(pad, "x") == "'pad' must be a whole number, or one of same, valid, but is \"x\"");
  CHECK(hint_for_value(pad, "sam") == "did you mean 'same'?");
  CHECK(hint_for_value(pad, 3).empty());
}

}  // namespace form_test
