// SPDX-License-Identifier: Apache-2.0
// Order of the cells of a column of times.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dlrun::dataset {

/// Sort key of a time: an earlier time has a lesser one. Numbers and dates have their value, other texts their bytes.
using TimeKey = std::pair<double, std::string>;

/// Times as cells of a column, and how messages name them.
struct TimeColumn {
  const std::vector<std::string>& cells;
  std::string key;                                   ///< key of the section, for messages: "split.time"
  std::function<std::string(std::size_t)> place_of;  ///< names a row, "line 3"
};

/// Sort keys of all cells: numbers by value, dates of ISO 8601 by their time in UTC, and texts of one pattern by bytes
/// ("2026-01", "t0001"), unless they begin with the day or the month ("31.01.2026").
/// @throws DataError: numbers beside texts, texts whose bytes do not sort by time.
std::vector<TimeKey> time_keys(const TimeColumn& times);

}  // namespace dlrun::dataset
