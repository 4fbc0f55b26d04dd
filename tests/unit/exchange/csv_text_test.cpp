// SPDX-License-Identifier: Apache-2.0
// Cells of CSV files, by RFC 4180 and by what spreadsheets take for formulas.
#include "exchange/csv_text.hpp"

#include "support/catch.hpp"

namespace csv_text_test {

using namespace dlrun;
using namespace dlrun::exchange;

TEST_CASE("cells are quoted where they have to be", "[exchange][csv]") {
  CHECK(csv_line({1, "plain", "a,b", "say \"hi\"", "two\nlines", Json(), true}) ==
        "1,plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,true\n");
  CHECK(csv_cell(Json({1, "x"})) == "\"[1,\"\"x\"\"]\"");
}

TEST_CASE("numbers are exact", "[exchange][csv]") {
  CHECK(csv_cell(0.1) == "0.1");
  CHECK(csv_cell(-1e-300) == "-1e-300");
  CHECK(csv_cell(9007199254740993) == "9007199254740993");
}

TEST_CASE("text is no formula", "[exchange][csv]") {
  CHECK(csv_cell("=1+1") == "'=1+1");
  CHECK(csv_cell("@SUM(A1)") == "'@SUM(A1)");
  CHECK(csv_cell("+cmd|' /C calc'!A0") == "'+cmd|' /C calc'!A0");
  CHECK(csv_cell("-x,1") == "\"'-x,1\"");
  CHECK(csv_cell("\t=1") == "'\t=1");
  CHECK(csv_cell("-1.5e3") == "-1.5e3");
  CHECK(csv_cell("a=1") == "a=1");
}

TEST_CASE("bytes that are no text are replaced", "[exchange][csv]") {
  CHECK(csv_cell(std::string("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(csv_cell("a\xFF") == "a\xEF\xBF\xBD");
}

}  // namespace csv_text_test
