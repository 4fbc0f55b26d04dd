// SPDX-License-Identifier: Apache-2.0
// Answers in SQL as pictures.
#include "report/answer_picture.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace answer_picture_test {

using namespace dlrun;
using report::picture_of;
using report::Table;

namespace {

bool has(const plot::Picture& picture, const std::string& part) {
  return picture.program.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("few different x stand at equal distances, in the order of numbers", "[report][plot]") {
  const Table answer{"", {"ranks", "accuracy", "op"}, {{16, 0.5, "asp"}, {4, 0.75, "asp"}, {4, nullptr, "bsp"}}};
  const plot::Picture picture = picture_of(answer, "scaling");
  CHECK(picture.name == "scaling");
  CHECK(picture.title == "accuracy by ranks");
  CHECK(has(picture, "set xtics ('4' 0, '16' 1)"));
  CHECK(has(picture, "$line0 << EOD\n0 0.75\n1 0.5\nEOD\n"));
  CHECK_FALSE(has(picture, "bsp"));
}

TEST_CASE("words of x stand in the order of rows", "[report][plot]") {
  const Table answer{"", {"a", "b", "c"}, {{"none", 1, "l"}, {"linear", 2, "l"}}};
  CHECK(has(picture_of(answer, "a"), "set xtics ('none' 0, 'linear' 1)"));
}

TEST_CASE("many numbers of x are places", "[report][plot]") {
  Table answer{"", {"seconds", "accuracy", "op", "family"}, {}};
  for (int i = 0; i < 13; ++i) answer.rows.push_back({0.5 * i, i, "asp", i < 12 ? "first" : "second"});
  const plot::Picture picture = picture_of(answer, "a");
  CHECK(has(picture, "\n5.5 11\nEOD"));
  CHECK(has(picture, "set title 'first'"));
  CHECK(has(picture, "set title 'second'"));
}

TEST_CASE("answers that are no lines are refused", "[report][plot]") {
  CHECK_THROWS_AS(picture_of({"", {"x", "y"}, {{1, 2}}}, "a"), Error);
  CHECK_THROWS_AS(picture_of({"", {"x", "y", "line"}, {{1, "two", "a"}}}, "a"), Error);
}

}  // namespace answer_picture_test
