// SPDX-License-Identifier: Apache-2.0
// The `split:` map of a section: its options, their combinations, and the rows it means. By fraction, by the
// values of a column, by group, by time, or in folds; every format uses this one door.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/options.hpp"
#include "dataset/split.hpp"

namespace dlrun::dataset {

/// Ways to split that a format has.
enum class SplitBy {
  columns,    ///< fractions, folds, and the columns of a table: by value, group, time
  rows,       ///< fractions and folds
  test_file,  ///< as `rows`, but the test split is a file of its own: `test` is no key
  order,      ///< fractions of rows in order of time: the past is for training, nothing is drawn
  parts       ///< as `rows`, where the files may set examples aside; shares are filled in when that is known
};

/// The option `split` with its fields. @param val share of the rows by default; with SplitBy::test_file train has the
/// rest, else train and test 0.7 and 0.15.
options::Key split_option(SplitBy by);

/// Fills in shares that were not given and finds options that clash. REQUIRES: filled in by split_option.
void finish_split(Json& split, SplitBy by, Faults& faults);

/// Facts of the rows that decide a split.
struct Splittable {
  std::int64_t rows = 0;
  std::vector<std::int64_t> labels;  ///< class of each; empty: nothing to stratify by
  std::map<std::string, std::vector<std::string>>
      cells;                        ///< "column", "group", "time" where named: a text for each row
  std::vector<std::int64_t> lines;  ///< line of each row in its file, for messages; empty: none
};

/// @param seed the study's; the section's own goes before.
/// @throws DataError: a split that was asked for is empty, a value that no split names or no row has, a group or a time
/// that is missing, times that do not sort (time_keys()).
Rows draw_split(const Json& data, const Splittable& rows, std::uint64_t seed);

/// Examples in the order of their rows: first those that are to be split, then those the files themselves set aside.
struct Division {
  std::int64_t open = 0;             ///< to be split
  std::int64_t val = 0;              ///< given: rows open … open + val - 1
  std::int64_t test = 0;             ///< given: the rows behind them
  std::vector<std::int64_t> labels;  ///< [open] class of each, for stratification; empty: there are none
  std::map<std::string, std::vector<std::string>> cells{};  ///< as of Splittable, [open]
  std::vector<std::int64_t> lines{};                        ///< lines as of Splittable, [open]
};

/// Splits open rows, keeps given ones. For SplitBy::test_file and SplitBy::parts.
/// @throws DataError as draw_split; for a share of a part that the files give.
Rows draw_division(const Json& data, const Division& division, std::uint64_t seed);

}  // namespace dlrun::dataset
