// SPDX-License-Identifier: Apache-2.0
// The most frequent class of each split.
#include "dataset/majority.hpp"

#include <cstdlib>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace majority_test {

using namespace dlrun;
using dataset::majority_shares;

namespace {

/// 30 rows, every third of class a, the others of b; a column says the split.
std::string table() {
  std::string text = "x,part,y\n";
  for (int i = 0; i < 30; ++i) {
    const char* part = i < 15 ? "train" : (i < 25 ? "val" : "test");
    text += std::to_string(i) + "," + part + "," + (i % 3 == 0 ? "a" : "b") + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the share of the most frequent class, split by split, also from the cache", "[dataset][majority]") {
  const support::TempFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  write_file(folder / "data.csv", table());
  const Json data = dataset::located(
      dataset::normalised(
          {{"op", "csv"},
           {"path", (folder / "data.csv").string()},
           {"target", "y"},
           {"split", {{"column", "part"}, {"train", {"train"}}, {"val", {"val"}}, {"test", {"test"}}}}}),
      {});
  const dataset::Schema schema = dataset::inspect(data, {}, 1);
  const std::map<std::string, double> expected{{"train", 10.0 / 15}, {"val", 0.6}, {"test", 0.8}};
  for (int time = 0; time < 2; ++time) {
    const auto found = majority_shares(data, schema, 1);
    REQUIRE(found.size() == 3);
    for (const auto& [split, share] : expected) CHECK(found.at(split) == Approx(share));
  }
}

TEST_CASE("numbers have no most frequent class", "[dataset][majority]") {
  CHECK(majority_shares(Json::object(), dataset::Schema(), 1).empty());
}

}  // namespace majority_test
