// SPDX-License-Identifier: Apache-2.0
// Splits where the files set examples aside for validation or for the test.
#include <numeric>

#include <fmt/format.h>

#include "dataset/split_section.hpp"

namespace dlrun::dataset {

namespace {

/// @param given  what the files give
void refuse_division(const Json& split, std::initializer_list<const char*> keys, const char* given) {
  for (const char* key : keys) {
    if (!split.contains(key) || split[key].is_null()) continue;
    throw DataError(fmt::format("split.{}", key),
                    fmt::format("'{}' has no effect: the files themselves give {}", key, given), "remove it");
  }
}

/// Rows that are to be split, by the shares that are left to the section.
Rows split_open(const Json& data, const Division& division, std::uint64_t seed) {
  Json section = data;
  Json& split = section["split"];
  Faults faults(nullptr);
  if (division.test > 0 && split.contains("test")) {
    refuse_division(split, {"column", "train", "test"}, "the test split");
    split.erase("train");
    split.erase("test");
    finish_split(split, SplitBy::test_file, faults);
  } else if (division.test == 0) {
    finish_split(split, SplitBy::rows, faults);
  }
  return draw_split(section, {division.open, division.labels, division.cells, division.lines}, seed);
}

Rows all_open(const Json& data, const Division& division) {
  refuse_division(data["split"], {"column", "group", "time", "train", "val", "test", "folds", "seed"},
                  "the validation split");
  if (data["split"]["stratify"] == true) {
    throw DataError("split.stratify", "'stratify' has no effect: the files themselves give the validation split",
                    "remove it");
  }
  Rows rows;
  rows.train.resize(std::size_t(division.open));
  std::iota(rows.train.begin(), rows.train.end(), 0);
  return rows;
}

/// Adds `count` rows from `first` on.
void append(std::vector<std::int64_t>& rows, std::int64_t first, std::int64_t count) {
  for (std::int64_t row = first; row < first + count; ++row) rows.push_back(row);
}

}  // namespace

Rows draw_division(const Json& data, const Division& division, std::uint64_t seed) {
  Rows rows = division.val > 0 ? all_open(data, division) : split_open(data, division, seed);
  append(rows.val, division.open, division.val);
  append(rows.test, division.open + division.val, division.test);
  return rows;
}

}  // namespace dlrun::dataset
