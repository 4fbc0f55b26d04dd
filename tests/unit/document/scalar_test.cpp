// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "document/scalars.hpp"
#include "unit/document/read_text.hpp"

namespace scalar_test {

using namespace dlrun::document;

namespace {
Scalar look(const std::string& text) {
  const ReadText read("v: " + text + "\n");
  REQUIRE(read.root);
  return classify(*read.root->find("v"));
}
}  // namespace

TEST_CASE("plain texts mean what YAML 1.2 core says", "[document][scalar]") {
  CHECK(look("12") == Scalar(std::int64_t(12)));
  CHECK(look("+12") == Scalar(std::int64_t(12)));
  CHECK(look("-0") == Scalar(std::int64_t(0)));
  CHECK(look("0x1F") == Scalar(std::int64_t(31)));
  CHECK(look("0o17") == Scalar(std::int64_t(15)));
  CHECK(look("1e-4") == Scalar(1e-4));
  CHECK(look(".5") == Scalar(0.5));
  CHECK(look("5.") == Scalar(5.0));
  CHECK(look("true") == Scalar(true));
  CHECK(look("False") == Scalar(false));
  CHECK(look("~") == Scalar(std::monostate()));
  CHECK(std::isinf(std::get<double>(look("-.inf"))));
  CHECK(std::isnan(std::get<double>(look(".nan"))));
}

TEST_CASE("what other readers take for something else is text", "[document][scalar]") {
  const std::string text = GENERATE("yes", "no", "on", "off", "1_000", "1,000", "12:30", "0b11", "2024-01-01", "1e",
                                    "nan", "inf", "0x", "0o8", ".", "-", "+", "1.2.3", "e5", "0x-1");
  CHECK(look(text == "-" ? "\"-\"" : text) == Scalar(text));
}

TEST_CASE("quoted texts are texts", "[document][scalar]") {
  CHECK(look("\"12\"") == Scalar(std::string("12")));
  CHECK(look("'true'") == Scalar(std::string("true")));
  CHECK(look("''") == Scalar(std::string()));
}

TEST_CASE("numbers that would be read in two ways, or fit nothing, are traps", "[document][scalar]") {
  CHECK(std::get<BadNumber>(look("010")).help == "write 10, or 0o10 for octal");
  CHECK(std::get<BadNumber>(look("-007")).help == "write -7");
  CHECK(std::get<BadNumber>(look("0190")).help == "write 190");
  CHECK_THAT(std::get<BadNumber>(look("9223372036854775808")).message, Contains("64 bits"));
  CHECK(look("-9223372036854775808") == Scalar(std::numeric_limits<std::int64_t>::min()));
  CHECK_THAT(std::get<BadNumber>(look("1e400")).message, Contains("beyond the range"));
  CHECK_THAT(std::get<BadNumber>(look("1e-400")).message, Contains("beyond the range"));
}

TEST_CASE("times are counts of falling units", "[document][scalar]") {
  CHECK(seconds("500ms") == 0.5);
  CHECK(seconds("90s") == 90);
  CHECK(seconds("1.5m") == 90);
  CHECK(seconds("1h30m") == 5400);
  CHECK(seconds("2d1h1m1s250ms") == 2 * 86400 + 3661.25);
  for (const char* text : {"", "s", "5", "5 s", "30m1h", "1h1h", "1.2.3s", ".s", "5x", "5mm", "-5s", "1s2"}) {
    INFO(text);
    CHECK_FALSE(seconds(text));
  }
}

}  // namespace scalar_test
