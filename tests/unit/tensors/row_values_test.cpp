// SPDX-License-Identifier: Apache-2.0
#include "tensors/row_values.hpp"

#include "support/catch.hpp"
#include "tensors/safetensors.hpp"
#include "util/error.hpp"

namespace row_values_test {

using namespace dlrun;
using namespace dlrun::tensors;

TEST_CASE("values of rows are written as two lists and read again", "[tensors]") {
  const RowValues values{"val.accuracy", 3, {2, 5, 1'000'000'007}, {1, 0, 0.25f}};
  const std::string bytes = write_row_values(values);
  CHECK(write_row_values(values) == bytes);
  CHECK(read_row_values(bytes, "file") == values);
  const SafeTensors file(bytes, "file");
  CHECK(file.find("rows")->dtype == "I64");
  CHECK(file.find("rows")->bytes.size() == 24);
  CHECK(file.find("values")->bytes.substr(0, 4) == std::string_view("\0\0\x80\x3f", 4));  // 1 as float32
  CHECK(read_row_values(write_row_values({"val.loss", 1, {}, {}}), "file").rows.empty());
}

TEST_CASE("values of rows in clusters keep these", "[tensors]") {
  const RowValues values{"val.loss", 2, {1, 4}, {.5f, 2}, {7, 7}};
  CHECK(read_row_values(write_row_values(values), "file") == values);
  const std::string two(16, '\0');
  const std::string fewer = write_safetensors({{"rows", "I64", {2}, two},
                                               {"values", "F32", {2}, std::string_view(two).substr(8)},
                                               {"clusters", "I64", {1}, std::string_view(two).substr(8)}},
                                              {{"metric", "val.loss"}, {"epoch", "1"}});
  CHECK_THROWS_AS(read_row_values(fewer, "file"), Error);
}

TEST_CASE("a file that lacks a list or has another number of them is refused", "[tensors]") {
  const std::string two(16, '\0');
  const auto read = [&](std::vector<TensorView> views, Metadata metadata) {
    return read_row_values(write_safetensors(std::move(views), std::move(metadata)), "file");
  };
  const Metadata sound{{"metric", "val.loss"}, {"epoch", "1"}};
  const TensorView rows{"rows", "I64", {2}, two}, one{"values", "F32", {1}, std::string_view(two).substr(0, 4)};
  CHECK_THROWS_AS(read({rows}, sound), Error);
  CHECK_THROWS_AS(read({rows, one}, sound), Error);
  CHECK_THROWS_AS(read({{"rows", "F64", {2}, two}, one}, sound), Error);
  CHECK_THROWS_AS(read({rows, {"values", "F32", {2}, std::string_view(two).substr(8)}}, {{"metric", "x"}}), Error);
  CHECK_THROWS_AS(
      read({rows, {"values", "F32", {2}, std::string_view(two).substr(8)}}, {{"metric", "x"}, {"epoch", "1x"}}), Error);
  CHECK(read({rows, {"values", "F32", {2}, std::string_view(two).substr(8)}}, sound).rows.size() == 2);
}

}  // namespace row_values_test
