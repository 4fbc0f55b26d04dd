// SPDX-License-Identifier: Apache-2.0
// Data sections as numbers: every case of tests/golden/datasets with the first examples, the rows of each split, what
// was measured on the training split, and new examples.
#include "support/golden.hpp"
#include "dataset/prepared.hpp"
#include "dataset_text.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace golden_test {

using namespace dlrun;
using namespace dlrun::dataset;
namespace fs = std::filesystem;

namespace {

const fs::path kGolden = DLRUN_SOURCE_DIR "/tests/golden";

FreshOptions options_of(const Json& one, const fs::path& place) {
  FreshOptions options{.needs_targets = one["needs_targets"], .unseen = one["unseen"], .id = one["id"]};
  for (const auto& [key, file] : one["fresh"].items())
    options.files[key] = (place / file.get<std::string>()).lexically_normal();
  return options;
}

std::string text_of_case(const Json& one, const fs::path& place) {
  constexpr std::uint64_t kSeed = 7;
  const Json data = located(normalised(one["data"]), {{place}});
  std::string out = text_of(load(data, {}, kSeed)) + prepared(data, kSeed).dump() + "\n";
  if (!one["fresh"].empty()) out += outcome([&] { return text_of(load_fresh(data, options_of(one, place), kSeed)); });
  return out;
}

}  // namespace

TEST_CASE("data sections give the numbers that stand in their golden file", "[dataset][golden]") {
  const DataFolder folder;  // whose name is short: messages cut long ones
  for (const char* name : {"datasets", "arrays"}) fs::copy(kGolden / name, folder.path() / name);
  const fs::path place = folder.path() / "datasets", file = kGolden / "datasets/expected.txt";
  std::string all;
  for (const Json& one : parse_json(read_file(place / "cases.json"), "cases"))
    all += fmt::format("# {}\n{}\n", one["name"].get<std::string>(), outcome([&] { return text_of_case(one, place); }));
  support::replace_all(all, folder.path().string(), "HERE");
  const std::string expected = support::golden(file, all);
  const auto differs = std::mismatch(all.begin(), all.end(), expected.begin(), expected.end()).first;
  const std::size_t at = std::size_t(differs - all.begin());
  CHECK(all.substr(at, 200) == expected.substr(std::min(at, expected.size()), 200));
}

}  // namespace golden_test
