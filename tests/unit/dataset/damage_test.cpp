// SPDX-License-Identifier: Apache-2.0
// Random damage: whatever is cut off or flipped, loading ends in a data set that keeps its promises or in a DataError.
// Run under the sanitizers too; the seeds are fixed, so a failure comes back.
#include <cmath>

#include "files.hpp"
#include "support/catch.hpp"
#include "util/random.hpp"

namespace damage_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

constexpr int kRounds = 300;

/// Cuts off, flips bits, doubles or removes a part.
std::string damaged(std::string bytes, RandomStream& random) {
  const std::size_t at = random.below(bytes.size());
  switch (random.below(4)) {
    case 0: bytes.resize(at); break;
    case 1: bytes.erase(at, random.below(16)); break;
    case 2: bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(16))); break;
    default:
      for (std::uint64_t i = random.below(4); i < 4; ++i)
        bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
  }
  return bytes;
}

void check_promises(const Dataset& d) {
  std::size_t width = 1;
  for (const std::int64_t size : d.schema.input()) width *= static_cast<std::size_t>(size);
  const auto rows = static_cast<std::size_t>(d.targets.examples);
  const std::vector<float> numbers = d.inputs.at(0).numbers();
  REQUIRE(numbers.size() == rows * width);
  REQUIRE(d.train.size() + d.val.size() + d.test.size() == rows);
  for (const float value : numbers) REQUIRE(std::isfinite(value));
  if (d.schema.classes == 0) return;
  for (const std::int64_t label : d.targets.indices()) REQUIRE((label >= 0 && label < d.schema.classes));
}

/// Loads, and counts how it ended.
void try_load(const Json& data, const DataFolder& folder, int& loaded, int& refused) {
  try {
    check_promises(load(data, folder.where(), 7));
    ++loaded;
  } catch (const DataError& fault) {
    REQUIRE(std::string(fault.what()).size() > 5);
    ++refused;
  }
}

std::string table() {
  std::string text = "age,sex,fare,y\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(20 + i % 7) + (i % 3 == 0 ? ",male," : ",\"fe,male\",") + (i % 5 == 0 ? "" : "7.25") +
            (i % 2 == 0 ? ",no\n" : ",yes\n");
  }
  return text;
}

}  // namespace

TEST_CASE("a damaged table loads whole or not at all", "[dataset][damage]") {
  const DataFolder folder;
  const bool is_packed = GENERATE(false, true);
  const std::string good = is_packed ? gzipped(table()) : table();
  RandomStream random(11, {"damage", is_packed ? "gzip" : "csv"});
  int loaded = 0, refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    folder.write("t.csv", damaged(good, random));
    try_load(section(R"({"op":"csv","path":"t.csv","target":"y","most_categories":10})"), folder, loaded, refused);
  }
  CHECK(loaded + refused == kRounds);
  CHECK(refused > kRounds / 10);
}

TEST_CASE("damaged images load whole or not at all", "[dataset][damage]") {
  const DataFolder folder;
  const bool is_packed = GENERATE(false, true);
  std::string pixels, labels;
  for (int i = 0; i < 20 * 12; ++i) pixels += static_cast<char>(i);
  for (int i = 0; i < 20; ++i) labels += static_cast<char>(i % 4);
  const std::vector<std::pair<std::string, std::string>> files{
      {"train-images-idx3-ubyte", idx_bytes(0x803, {20, 3, 4}, pixels)},
      {"train-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels)},
      {"t10k-images-idx3-ubyte", idx_bytes(0x803, {20, 3, 4}, pixels)},
      {"t10k-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels)}};
  RandomStream random(12, {"damage", is_packed ? "gzip" : "idx"});
  int loaded = 0, refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const std::size_t victim = random.below(files.size());
    for (std::size_t k = 0; k < files.size(); ++k) {
      const std::string bytes = is_packed ? gzipped(files[k].second) : files[k].second;
      folder.write("m/" + files[k].first, k == victim ? damaged(bytes, random) : bytes);
    }
    try_load(section(R"({"op":"idx","path":"m","standardise":true})"), folder, loaded, refused);
  }
  CHECK(loaded + refused == kRounds);
  CHECK(refused > kRounds / 10);
}

}  // namespace damage_test
