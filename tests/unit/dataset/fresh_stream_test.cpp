// SPDX-License-Identifier: Apache-2.0
// New examples in parts: together they are what the whole would be.
#include <cstring>
#include <numeric>

#include "dataset/byte_source.hpp"
#include "dataset/csv_reader.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace fresh_stream_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

constexpr int kRows = 40000;

/// Quotes, line ends within a cell, empty lines, either line ending.
std::string table() {
  std::string text = "\xef\xbb\xbfsize,kind,y\n";
  for (int i = 0; i < kRows; ++i) {
    text += std::to_string(i) + (i % 3 == 0 ? ",\"a, \"\"b\"\"\nc\"," : ",quite a plain cell without quotes,") +
            (i % 2 == 0 ? "no" : "yes") + (i % 5 == 0 ? "\r\n" : "\n") + (i % 7 == 0 ? "\n" : "");
  }
  return text;
}

struct Row {
  std::vector<std::string> cells;
  std::int64_t line;
  bool operator==(const Row&) const = default;
};

void append(const Table& table, std::vector<Row>& rows) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows.push_back({{}, table.lines[row]});
    for (std::size_t column = 0; column < table.columns; ++column)
      rows.back().cells.emplace_back(table.cell(row, column));
  }
}

std::vector<Row> in_blocks(const std::filesystem::path& file, std::size_t count) {
  CsvBlocks blocks(file, '\0');
  std::vector<Row> rows;
  for (;;) {
    const Table table = blocks.next(count);
    append(table, rows);
    if (table.rows() < count) return rows;
  }
}

std::string read_all(const std::filesystem::path& file) {
  ByteSource source(file);
  std::string bytes(std::size_t(1) << 22, '\0');
  bytes.resize(source.read(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace

TEST_CASE("a table in blocks has the delimiter that is given", "[dataset][fresh]") {
  const DataFolder folder;
  folder.write("t.csv", "a,b;c,d\n1,2;3,4\n");
  CHECK(CsvBlocks(folder.path() / "t.csv", ';').next(9).columns == 2);
  CHECK(CsvBlocks(folder.path() / "t.csv", ',').next(9).columns == 3);
}

TEST_CASE("a table in blocks has the rows and lines of the whole", "[dataset][fresh]") {
  const DataFolder folder;
  const std::string text = table();
  REQUIRE(text.size() > std::size_t(1) << 20);  // more than the reader has room for at first
  folder.write("t.csv", text);
  folder.write("t.csv.gz", gzipped(text.substr(0, 500000)) + gzipped(text.substr(500000)));
  std::vector<Row> whole;
  append(read_csv(text, "t", '\0'), whole);
  REQUIRE(whole.size() == kRows + 1);
  for (const std::size_t count : {513, 30000, 100000}) {
    CHECK(in_blocks(folder.path() / "t.csv", count) == whole);
    CHECK(in_blocks(folder.path() / "t.csv.gz", count) == whole);
  }
  CHECK(read_all(folder.path() / "t.csv.gz") == text);
}

TEST_CASE("a table in blocks names what is wrong far behind", "[dataset][fresh]") {
  const DataFolder folder;
  folder.write("wide.csv", table() + "1,2,3,4\n");
  folder.write("open.csv", table() + "1,\"2,3\n");
  CHECK_THROWS_WITH(in_blocks(folder.path() / "wide.csv", 512), Contains("has 4 cells, but line 1 has 3"));
  CHECK_THROWS_WITH(in_blocks(folder.path() / "open.csv", 512), Contains("is never closed"));
  const std::string packed = gzipped(table());
  folder.write("cut.gz", packed.substr(0, packed.size() - 9));
  folder.write("more.gz", packed + "xx");
  folder.write("bad.gz", packed.substr(0, packed.size() - 8) + std::string(8, 'x'));
  folder.write("empty", "");
  CHECK_THROWS_WITH(in_blocks(folder.path() / "cut.gz", 512), Contains("is cut off"));
  CHECK_THROWS_WITH(in_blocks(folder.path() / "more.gz", 512), Contains("behind its gzip data"));
  CHECK_THROWS_WITH(in_blocks(folder.path() / "bad.gz", 512), Contains("is damaged"));
  CHECK_THROWS_WITH(in_blocks(folder.path() / "empty", 512), Contains("is empty"));
  CHECK_THROWS_WITH(in_blocks(folder.path(), 512), Contains("is a folder"));
}

TEST_CASE("new rows of a table come in parts of whole batches", "[dataset][fresh]") {
  const DataFolder folder;
  folder.write("t.csv", table());
  const Json data = located(section(R"({"op":"csv","path":"t.csv","target":"y"})"), folder.where());
  const Dataset whole = load(data, {}, 7);
  const FreshOptions options{.files = {{"path", data["path"]}}, .id = "kind"};
  const std::unique_ptr<FreshStream> stream = open_fresh(data, options, 7);
  std::vector<float> numbers;
  std::vector<std::int64_t> labels;
  std::int64_t parts = 0;
  while (const std::optional<Fresh> part = stream->next()) {
    CHECK(((part->dataset.test.size() % kFreshRows == 0) || labels.size() + part->dataset.test.size() == kRows));
    REQUIRE(part->ids.at(0).cells.size() == part->dataset.test.size());
    for (const float number : part->dataset.inputs[0].numbers()) numbers.push_back(number);
    for (const std::int64_t label : part->dataset.targets.indices()) labels.push_back(label);
    ++parts;
  }
  CHECK(parts > 3);
  CHECK(numbers == whole.inputs[0].numbers());
  CHECK(labels == whole.targets.indices());
}

TEST_CASE("new arrays come in parts, whatever their order", "[dataset][fresh]") {
  const DataFolder folder;
  std::vector<double> values(std::size_t(kRows) * 3);
  std::iota(values.begin(), values.end(), 0);
  const std::string bytes = npy_bytes("(40000, 3)", values);
  std::string turned = bytes;  // the columns one behind the other
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t c = 0; c < 3; ++c)
      std::memcpy(turned.data() + 128 + (c * kRows + row) * 8, &values[row * 3 + c], sizeof(double));
  }
  turned.replace(turned.find("False"), 5, "True ");
  folder.write("c.npy", bytes);
  folder.write("f.npy", turned);
  const Json data =
      located(section(R"({"op":"npy","inputs":"c.npy","targets":"c.npy","standardise":true})"), folder.where());
  const Dataset whole = load(data, {}, 7);
  for (const char* name : {"c.npy", "f.npy"}) {
    const std::string file = (folder.path() / name).string();
    const std::unique_ptr<FreshStream> stream = open_fresh(data, {.files = {{"inputs", file}, {"targets", file}}}, 7);
    std::vector<float> numbers, targets;
    while (const std::optional<Fresh> part = stream->next()) {
      for (const float number : part->dataset.inputs[0].numbers()) numbers.push_back(number);
      for (const float number : part->dataset.targets.numbers()) targets.push_back(number);
    }
    CHECK(numbers == whole.inputs[0].numbers());
    CHECK(targets == whole.targets.numbers());
  }
}

}  // namespace fresh_stream_test
