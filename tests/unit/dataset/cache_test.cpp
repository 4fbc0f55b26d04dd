// SPDX-License-Identifier: Apache-2.0
// The schema cache: seen again at once, never believed when something changed.
#include "files.hpp"
#include "support/catch.hpp"

namespace cache_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

const char* const kTable = "a,b,y\n1,red,p\n2,blue,q\n3,,p\n4,red,q\n5,red,p\n6,blue,q\n7,red,p\n8,blue,q\n";
const Json kSection = section(R"({"op":"csv","path":"t.csv","target":"y"})");

std::vector<std::filesystem::path> entries(const DataFolder& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "cache")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

/// Same size and time, other content: only a cache can then give the old answer.
void replace_unseen(const DataFolder& folder, std::string text) {
  const auto time = std::filesystem::last_write_time(folder.path() / "t.csv");
  folder.write("t.csv", text);
  std::filesystem::last_write_time(folder.path() / "t.csv", time);
}

std::string recoloured() {
  std::string text = kTable;
  for (std::size_t at = text.find("red"); at != std::string::npos; at = text.find("red")) text.replace(at, 3, "tan");
  return text;
}

}  // namespace

TEST_CASE("a schema from the cache equals the one from the data", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  const Schema first = inspect(kSection, folder.where(), 7);
  REQUIRE(entries(folder).size() == 1);
  const Schema second = inspect(kSection, folder.where(), 7);
  CHECK(second.input() == first.input());
  CHECK(second.features == first.features);
  CHECK(second.columns == first.columns);
  CHECK(second.class_names == first.class_names);
  CHECK(second.classes == 2);
  CHECK(second.train == first.train);
  CHECK(second.val == first.val);
  CHECK(second.test == first.test);
  CHECK(second.sha256 == first.sha256);
  CHECK(load(kSection, folder.where(), 7).schema.features == first.features);
}

TEST_CASE("the second look does not read the data", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  const std::string hash = inspect(kSection, folder.where(), 7).sha256;
  replace_unseen(folder, recoloured());
  CHECK(inspect(kSection, folder.where(), 7).sha256 == hash);
}

TEST_CASE("another file, section or seed is another entry", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  const std::string hash = inspect(kSection, folder.where(), 7).sha256;
  SECTION("content") {
    folder.write("t.csv", std::string(kTable) + "9,red,p\n");
    CHECK(inspect(kSection, folder.where(), 7).sha256 != hash);
  }
  SECTION("section") {
    Json other = kSection;
    other["drop"] = {"b"};
    CHECK(inspect(other, folder.where(), 7).features == std::vector<std::string>{"a"});
  }
  SECTION("seed") {
    inspect(kSection, folder.where(), 8);
    CHECK(entries(folder).size() == 2);
  }
}

TEST_CASE("a damaged entry is as good as none", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  const Schema good = inspect(kSection, folder.where(), 7);
  const std::filesystem::path entry = entries(folder).at(0);
  const std::string damage =
      GENERATE("", "{", "[]", R"({"schema":{},"check":"x"})", R"({"schema":{"classes":9},"check":"00"})", "\x00\xff");
  std::ofstream(entry, std::ios::binary | std::ios::trunc) << damage;
  const Schema again = inspect(kSection, folder.where(), 7);
  CHECK(again.sha256 == good.sha256);
  CHECK(again.classes == 2);
}

TEST_CASE("a changed number in an entry is noticed", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  inspect(kSection, folder.where(), 7);
  std::string text;
  const std::filesystem::path entry = entries(folder).at(0);
  std::getline(std::ifstream(entry), text);
  text.replace(text.find("\"classes\":2"), 11, "\"classes\":3");
  std::ofstream(entry, std::ios::trunc) << text;
  CHECK(inspect(kSection, folder.where(), 7).classes == 2);
}

TEST_CASE("a cache that cannot be written is no fault", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  folder.write("cache", "a file where the folder should be");
  CHECK(inspect(kSection, folder.where(), 7).classes == 2);
}

}  // namespace cache_test
