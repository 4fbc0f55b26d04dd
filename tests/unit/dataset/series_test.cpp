// SPDX-License-Identifier: Apache-2.0
// op: series: windows, borders in time, what is measured where.
#include <cmath>

#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace series_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

/// Row i: its day, 10 i, i².
std::string table(int rows) {
  std::string text = "day,heat,load\n";
  for (int i = 0; i < rows; ++i)
    text += "d" + std::to_string(100 + i) + "," + std::to_string(10 * i) + "," + std::to_string(i * i) + "\n";
  return text;
}

Dataset load_series(const DataFolder& folder, const std::string& more) {
  const std::string text = R"({"op":"series","path":"s.csv","target":"load","time":"day","window":3)" + more + "}";
  return load(section(text.c_str()), folder.where(), 7);
}

std::string fault_of(const DataFolder& folder, const std::string& more) {
  try {
    load_series(folder, more);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint() + " | " + fault.place();
  }
  return "no fault";
}

const std::string kHalves = R"(,"split":{"train":0.5,"val":0.5})";

}  // namespace

TEST_CASE("a window of rows predicts the next ones", "[dataset][series]") {
  const DataFolder folder;
  folder.write("s.csv", table(20));
  const Dataset d = load_series(folder, R"(,"horizon":2,"step":2,"standardise":false,"split":{"train":1})");
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 2});
  CHECK(d.schema.targets == 2);
  CHECK(d.inputs[0].examples == 8);
  for (std::int64_t row = 0; row < 8; ++row) {
    for (std::int64_t i = 0; i < 3; ++i) {
      CHECK(d.inputs[0].number(row, 2 * i) == float(10 * (2 * row + i)));
      CHECK(d.inputs[0].number(row, 2 * i + 1) == float((2 * row + i) * (2 * row + i)));
    }
    CHECK(d.targets.number(row, 0) == float((2 * row + 3) * (2 * row + 3)));
    CHECK(d.targets.number(row, 1) == float((2 * row + 4) * (2 * row + 4)));
  }
}

TEST_CASE("no window crosses from one split to the next", "[dataset][series]") {
  const DataFolder folder;
  folder.write("s.csv", table(40));
  const Dataset d = load_series(folder, R"(,"split":{"train":0.5,"val":0.25,"test":0.25},"standardise":false)");
  CHECK(d.train.back() == 16);  // rows 16 to 19
  CHECK(d.val.front() == 20);
  CHECK(d.val.back() == 26);
  CHECK(d.test.front() == 30);
  CHECK(d.test.back() == 36);
}

TEST_CASE("windows that share rows are a cluster", "[dataset][series]") {
  const DataFolder folder;
  folder.write("s.csv", table(40));
  const std::string half = R"(,"split":{"train":0.5,"val":0.5})";
  // 17 windows of 4 rows: the cube root, rounded up, is 3. Every other of them: 9 windows, of which 2 share rows.
  const std::vector<std::int64_t> fours = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4};
  CHECK(load_series(folder, half).val_clusters == fours);
  CHECK(load_series(folder, half + R"(,"step":2)").val_clusters ==
        std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("a series is standardised by its training rows", "[dataset][series]") {
  const DataFolder folder;
  std::string text = table(20), other = text;
  const std::string split = R"(,"split":{"train":0.5,"val":0.5,"test":0},"own_past":false)";
  folder.write("s.csv", text);
  const Dataset d = load_series(folder, split);
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 1});
  const double deviation = std::sqrt(825);  // of 0, 10, … 90
  for (int i = 0; i < 3; ++i) CHECK(d.inputs[0].number(12, i) == Approx((10 * (12 + i) - 45) / deviation));
  other.replace(other.find("d119,190"), 8, "d119,999");
  folder.write("s.csv", other);
  CHECK(load_series(folder, split).inputs[0].number(0) == d.inputs[0].number(0));
}

TEST_CASE("one column may be series and target in one", "[dataset][series]") {
  const DataFolder folder;
  folder.write("s.csv", "load\n1\n2\n4\n8\n16\n32\n64\n128\n");
  const Dataset d = load(section(R"({"op":"series","path":"s.csv","target":"load","window":2,"standardise":false,
                                    "split":{"train":1,"val":0,"test":0}})"),
                         folder.where(), 7);
  CHECK(d.inputs[0].number(3, 1) == 16);
  CHECK(d.targets.number(3) == 32);
}

TEST_CASE("faults of a series name the line", "[dataset][series]") {
  const DataFolder folder;
  SECTION("times that fall") {
    std::string text = table(20);
    text.replace(text.find("d105"), 4, "d103");
    folder.write("s.csv", text);
    CHECK_THAT(fault_of(folder, ""), Contains("line 7 has the time 'd103' behind 'd104'"));
  }
  SECTION("times that do not sort as texts") {
    folder.write("s.csv", "day,heat,load\n31.01.2026,1,2\n01.02.2026,1,2\n");
    CHECK_THAT(fault_of(folder, ""),
               Contains("line 2 has the time \"31.01.2026\", and such texts do not sort by time"));
  }
  SECTION("a gap") {
    std::string text = table(40);
    text.replace(text.find("d105,50,"), 8, "d105,,");
    folder.write("s.csv", text);
    CHECK_THAT(fault_of(folder, ""), Contains("column 'heat' has no value in line 7"));
    CHECK(load_series(folder, R"(,"fill":"forward","standardise":false)").inputs[0].number(5, 0) == 40);
  }
  SECTION("too few rows") {
    folder.write("s.csv", table(3));
    CHECK_THAT(fault_of(folder, ""), Contains("need 4 rows, but the file has 3"));
    folder.write("s.csv", table(12));
    CHECK_THAT(fault_of(folder, ""), Contains("split.val: the share for val holds no whole window of 4"));
  }
  SECTION("windows may lie far apart") {
    folder.write("s.csv", table(60));
    CHECK(fault_of(folder, R"(,"step":20)" + kHalves) == "no fault");
  }
  SECTION("nothing is left") {
    folder.write("s.csv", table(40));
    CHECK_THAT(fault_of(folder, R"(,"drop":"heat","own_past":false)"), Contains("no column is left as an input"));
  }
}

TEST_CASE("a series in an array is the same as in a table", "[dataset][series]") {
  const DataFolder table_folder, folder;
  std::string text = "day,heat,load\n";
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) {
    const double row[] = {1e9 + i, 0.1 * i, i * i + 0.25};
    values.insert(values.end(), row, row + 3);
    text += std::to_string(1000000000 + i) + "," + Json(row[1]).dump() + "," + Json(row[2]).dump() + "\n";
  }
  table_folder.write("s.csv", text);
  folder.write("s.csv", npy_bytes("(20, 3)", values));
  const Dataset expected = load_series(table_folder, kHalves);
  const Dataset named = load_series(folder, kHalves + R"(,"columns":["day","heat","load"])");
  CHECK(named.inputs[0].numbers() == expected.inputs[0].numbers());
  CHECK(named.targets.numbers() == expected.targets.numbers());
  CHECK(named.train == expected.train);
  const auto by_index = [&](const std::string& more) {
    const std::string section_text = R"({"op":"series","path":"s.csv","window":3)" + kHalves + more + "}";
    return load(section(section_text.c_str()), folder.where(), 7);
  };
  CHECK(by_index(R"(,"target":-1,"time":0)").inputs[0].numbers() == expected.inputs[0].numbers());
  CHECK(by_index(R"(,"target":"c2","time":"c0")").targets.numbers() == expected.targets.numbers());
}

TEST_CASE("faults of a series in an array", "[dataset][series]") {
  const DataFolder folder;
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i);
  const std::string named = kHalves + R"(,"columns":["day","load"])";
  SECTION("time that falls") {
    values[10] = 3;
    folder.write("s.csv", npy_bytes("(20, 2)", values));
    CHECK_THAT(fault_of(folder, named), Contains("row 5 has the time '3' behind '8'") && Contains("s.csv, row 5"));
  }
  SECTION("a gap in what is measured against, which is never filled") {
    values[11] = std::nan("");
    folder.write("s.csv", npy_bytes("(20, 2)", values));
    CHECK_THAT(fault_of(folder, named), Contains("the target 'load' has no value in row 5"));
    CHECK_THAT(fault_of(folder, named + R"(,"fill":"forward")"), Contains("the target 'load' has no value in row 5"));
  }
  SECTION("names that do not fit") {
    folder.write("s.csv", npy_bytes("(20, 2)", values));
    CHECK_THAT(fault_of(folder, R"(,"columns":["day"])"), Contains("there are 1 names") && Contains("has 2 columns"));
    CHECK_THAT(fault_of(folder, R"(,"columns":["load","load"])"), Contains(R"("load" is no name of its own)"));
    CHECK_THAT(fault_of(folder, ""), Contains("there is no column 'load'") || Contains("there is no column 'day'"));
  }
  SECTION("three sizes") {
    folder.write("s.csv", npy_bytes("(20, 2, 1)", values));
    CHECK_THAT(fault_of(folder, named), Contains("has the shape [20, 2, 1]"));
  }
  SECTION("a table's keys") {
    folder.write("s.csv", npy_bytes("(20, 2)", values));
    CHECK_THAT(fault_of(folder, named + R"(,"header":true)"), Contains("'header' has no effect"));
    folder.write("s.csv", table(20));
    CHECK_THAT(fault_of(folder, named), Contains("'columns' has no effect"));
  }
}

TEST_CASE("arrays of an archive are columns", "[dataset][series]") {
  const DataFolder folder;
  folder.write("s.npz", read_file(DLRUN_SOURCE_DIR "/tests/golden/arrays/series.npz"));
  const Dataset d = load(section(R"({"op":"series","path":"s.npz","target":"load","time":"day","window":3,
    "standardise":false,"split":{"train":1}})"),
                         folder.where(), 7);
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 3});  // heat.0, heat.1 and load's past
  CHECK(d.inputs[0].number(0, 0) == 0);
  CHECK(d.inputs[0].number(0, 1) == 100);
  CHECK(d.inputs[0].number(0, 2) == 0.5f);
  CHECK(d.inputs[0].number(1, 3) == 2);
  CHECK(d.targets.number(0) == 3.5f);
}

}  // namespace series_test
