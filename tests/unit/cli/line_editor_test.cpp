// SPDX-License-Identifier: Apache-2.0
#include "line_editor.hpp"

#include "support/catch.hpp"

namespace line_editor_test {

using namespace dlrun::cli;

TEST_CASE("words share what they begin with", "[cli][sql]") {
  CHECK(common_beginning({"objective_step", "objectives", "objective"}) == "objective");
  CHECK(common_beginning({"trials"}) == "trials");
  CHECK(common_beginning({"a", "b"}).empty());
}

TEST_CASE("words stand in columns, and of very many the first", "[cli][sql]") {
  CHECK(in_columns({"a", "bb", "c", "d"}, 8) == "a   c\nbb  d\n");
  CHECK(in_columns({"a", "bb", "c"}, 8) == "a   c\nbb\n");
  CHECK(in_columns({"wider", "than it"}, 3) == "wider\nthan it\n");
  const std::string many = in_columns(std::vector<std::string>(203, "x"), 80);
  CHECK(many.ends_with("\nand 3 more\n"));
}

}  // namespace line_editor_test
