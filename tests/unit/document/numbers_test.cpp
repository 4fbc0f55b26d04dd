// SPDX-License-Identifier: Apache-2.0
// Sections of plugins have keys whose values are lists of numbers.
#include "document/reader.hpp"
#include "unit/document/read_text.hpp"

namespace numbers_test {

using namespace dlrun;
using namespace dlrun::document;
using options::Form;

namespace {

struct Reading {
  Json value;
  std::string errors;
};

Reading read_one(const std::string& text, const options::Key& key) {
  const ReadText parsed("list: " + text + "\n");
  REQUIRE(parsed.root);
  Faults faults;
  Reading reading;
  reading.value = read_table(*parsed.root, {key}, "", "it", faults);
  reading.errors = faults.list.render_errors();
  return reading;
}

}  // namespace

TEST_CASE("numbers are one or a list, and 1 is 1.0", "[document][numbers]") {
  options::Key numbers = options::key(Form::numbers, "list", "");
  numbers.from(-1).to(4);
  CHECK(read_one("[1, -0.5]", numbers).value["list"].dump() == "[1.0,-0.5]");
  CHECK(read_one("2", numbers).value["list"].dump() == "2.0");
  CHECK_THAT(read_one("[1, 9]", numbers).errors,
             Contains("test.yaml:1:7: error: 'list' must be a number from -1 to 4 or a list of them, but is [1,9]"));
  CHECK_THAT(read_one("[]", numbers).errors, Contains("must be a number"));
  CHECK_THAT(read_one("[1, one]", numbers).errors, Contains("must be a number"));
  CHECK_THAT(read_one("[010]", numbers).errors, Contains("octal"));
}

TEST_CASE("whole numbers are not fractions", "[document][numbers]") {
  options::Key integers = options::key(Form::integers, "list", "");
  integers.from(1);
  CHECK(read_one("[3, 1]", integers).value["list"].dump() == "[3,1]");
  CHECK_THAT(read_one("[3, 0.5]", integers).errors, Contains("'list' must be a list of whole numbers of at least 1"));
  CHECK_THAT(read_one("3", integers).errors, Contains("write [1, 2]"));
  integers.or_a(Form::integer);
  CHECK(read_one("3", integers).value["list"].dump() == "3");
}

}  // namespace numbers_test
