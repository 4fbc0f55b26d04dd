// SPDX-License-Identifier: Apache-2.0
// Features that are to say nothing: means, and cells that change rows within a split.
#include <algorithm>

#include "files.hpp"
#include "support/catch.hpp"

namespace replace_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

/// Row i: i, or nothing in the third row; a colour; i again; the target.
std::string table(int rows) {
  std::string text = "size,colour,twin,y\n";
  for (int i = 0; i < rows; ++i) {
    const std::string size = i == 2 ? "" : std::to_string(i);
    text += size + (i % 3 == 0 ? ",red," : ",blue,") + std::to_string(i) + "," + std::to_string(i) + ".5\n";
  }
  return text;
}

Dataset load_table(const DataFolder& folder, const std::string& replace) {
  folder.write("t.csv", table(60));
  const std::string text =
      R"({"op":"csv","path":"t.csv","target":"y","task":"regression","standardise":false,"indicator":true,)"
      R"("split":{"train":0.5,"val":0.25,"test":0.25})" +
      replace + "}";
  return load(section(text.c_str()), folder.where(), 3);
}

/// Values of an input in some rows, ascending.
std::vector<float> sorted(const Dataset& d, const std::vector<std::int64_t>& rows, std::int64_t input) {
  std::vector<float> out;
  for (const std::int64_t row : rows) out.push_back(d.inputs[0].number(row, input));
  std::sort(out.begin(), out.end());
  return out;
}

std::string fault_of(const DataFolder& folder, const std::string& replace) {
  try {
    load_table(folder, replace);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("a feature becomes its mean over the training rows, with its shape", "[dataset][replace]") {
  const DataFolder folder;
  const Dataset plain = load_table(folder, "");
  const Dataset d = load_table(folder, R"(,"replace":{"size":"mean","colour":"mean"})");
  REQUIRE(d.schema.features == plain.schema.features);
  REQUIRE(d.schema.features == std::vector<std::string>{"size", "size=(missing)", "colour=blue", "colour=red", "twin"});
  double sum = 0, count = 0;
  for (const std::int64_t row : plain.train) {
    if (row == 2) continue;
    sum += double(row);
    ++count;
  }
  for (std::int64_t row = 0; row < 60; ++row) {
    CHECK(d.inputs[0].number(row, 0) == Approx(sum / count));
    CHECK(d.inputs[0].number(row, 1) == 0);
    CHECK(d.inputs[0].number(row, 2) == 1);  // blue is the most frequent
    CHECK(d.inputs[0].number(row, 3) == 0);
    CHECK(d.inputs[0].number(row, 4) == float(row));
  }
  CHECK(d.schema.sha256 != plain.schema.sha256);
  CHECK(d.train == plain.train);
}

TEST_CASE("permuted cells stay in their split and move with all that comes of them", "[dataset][replace]") {
  const DataFolder folder;
  const Dataset plain = load_table(folder, "");
  const Dataset d = load_table(folder, R"(,"replace":{"size":"permute"})");
  int moved = 0;
  for (const auto* rows : {&d.train, &d.val, &d.test}) {
    for (const std::int64_t input : {1, 2, 3}) CHECK(sorted(d, *rows, input) == sorted(plain, *rows, input));
    for (const std::int64_t row : *rows) {
      moved += d.inputs[0].number(row, 0) != plain.inputs[0].number(row, 0);
      CHECK(d.inputs[0].number(row, 4) == float(row));
    }
  }
  CHECK(moved > 45);
  const Dataset again = load_table(folder, R"(,"replace":{"size":"permute"})");
  CHECK(again.inputs[0].numbers() == d.inputs[0].numbers());
}

TEST_CASE("variables of a series are replaced before windows are cut", "[dataset][replace]") {
  const DataFolder folder;
  std::string text = "heat,load\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(10 * i) + "," + std::to_string(i * i) + "\n";
  folder.write("s.csv", text);
  const std::string start =
      R"({"op":"series","path":"s.csv","target":"load","window":2,"standardise":false,"split":{"train":0.5,"val":0.5})";
  const Dataset d =
      load(section((start + R"(,"replace":{"heat":"mean","load":"permute"}})").c_str()), folder.where(), 1);
  std::vector<float> past;
  for (std::int64_t row = 0; row < d.inputs[0].examples; ++row) {
    CHECK(d.inputs[0].number(row, 0) == 95);  // rows 0 to 19 train
    CHECK(d.targets.number(row, 0) == float((row + 2) * (row + 2)));
    if (row < 19) past.push_back(d.inputs[0].number(row, 1));
  }
  CHECK(*std::max_element(past.begin(), past.end()) <= 19 * 19);
  CHECK_FALSE(std::is_sorted(past.begin(), past.end()));
}

TEST_CASE("what cannot be replaced is named", "[dataset][replace]") {
  const DataFolder folder;
  CHECK_THAT(fault_of(folder, R"(,"replace":{"colour":"median"})"),
             Contains("replace.colour") && Contains("mean, or permute"));
  CHECK_THAT(fault_of(folder, R"(,"replace":{"color":"mean"})"), Contains("no feature 'color'") && Contains("colour"));
  CHECK_THAT(fault_of(folder, R"(,"replace":{"y":"mean"})"), Contains("no feature 'y'"));
}

}  // namespace replace_test
