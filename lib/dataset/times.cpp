// SPDX-License-Identifier: Apache-2.0
#include "dataset/times.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"
#include "dataset/date.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr const char* kForms = "write 2026-01-31 23:59, or a number";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The keys of cells that all have a value; nullopt where one has none.
std::optional<std::vector<TimeKey>> by_value(const std::vector<std::string>& cells,
                                             std::optional<double> (*value_of)(std::string_view)) {
  std::vector<TimeKey> keys;
  for (const std::string& cell : cells) {
    const std::optional<double> value = value_of(cell);
    if (!value) return std::nullopt;
    keys.emplace_back(*value, "");
  }
  return keys;
}

std::string cell_text(const TimeColumn& times, std::size_t row) { return quoted(Json(times.cells[row])); }

/// @throws DataError where some cells are numbers. REQUIRES: not all are.
void refuse_mixture(const TimeColumn& times) {
  std::optional<std::size_t> number;
  std::size_t text = 0;
  for (std::size_t row = 0; row < times.cells.size(); ++row) {
    if (parse_number(times.cells[row])) {
      number = row;
    } else {
      text = row;
    }
  }
  if (!number) return;
  throw DataError(times.key,
                  fmt::format("{} is a number ({}), {} a text ({})", times.place_of(*number), cell_text(times, *number),
                              times.place_of(text), cell_text(times, text)),
                  "times must be all numbers or all texts that sort by time, such as 2026-01-31 23:59");
}

/// The text with its digits as 0.
std::string pattern_of(std::string text) {
  std::replace_if(text.begin(), text.end(), is_digit, '0');
  return text;
}

/// "31.01.2026", "1/31/2026", "9:05": one digit or two, which a clock alone may begin with ("09:05").
bool begins_with_day(const std::string& text) {
  const auto digits = std::size_t(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  return digits == 1 || (digits == 2 && digits < text.size() && text[digits] != ':');
}

std::vector<TimeKey> by_bytes(const TimeColumn& times) {
  const std::string pattern = times.cells.empty() ? "" : pattern_of(times.cells.front());
  std::vector<TimeKey> keys;
  for (std::size_t row = 0; row < times.cells.size(); ++row) {
    const std::string& cell = times.cells[row];
    if (begins_with_day(cell))
      throw DataError(times.key,
                      fmt::format("{} has the time {}, and such texts do not sort by time", times.place_of(row),
                                  cell_text(times, row)),
                      kForms);
    if (pattern_of(cell) != pattern)
      throw DataError(times.key,
                      fmt::format("{} has the time {}, {} has {}: texts of several forms do not sort by time",
                                  times.place_of(0), cell_text(times, 0), times.place_of(row), cell_text(times, row)),
                      kForms);
    keys.emplace_back(0, cell);
  }
  return keys;
}

}  // namespace

std::vector<TimeKey> time_keys(const TimeColumn& times) {
  if (auto keys = by_value(times.cells, parse_number)) return *std::move(keys);
  refuse_mixture(times);
  if (auto keys = by_value(times.cells, parse_date)) return *std::move(keys);
  return by_bytes(times);
}

}  // namespace dlrun::dataset
