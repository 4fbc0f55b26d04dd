// SPDX-License-Identifier: Apache-2.0
// Text to cells: RFC 4180 with quotes, either line ending, and a byte order mark.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::dataset {

/// Cells of a rectangular table. They point into the text, which must outlive the table, and into `unquoted`.
struct Table {
  std::size_t columns = 0;
  std::vector<std::string_view> cells;  ///< [rows, columns]
  std::vector<std::int64_t> lines;      ///< line of the text in which each row begins, from 1
  std::deque<std::string> unquoted;     ///< cells that held doubled quotes

  std::size_t rows() const { return lines.size(); }
  std::string_view cell(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
};

/// Blanks around cells without quotes are cut off, empty lines are skipped.
/// @param name of the file, for messages.  @param delimiter '\0': the most frequent of , ; tab | in the first line.
/// @throws DataError with the line: an open quote, text behind a quote, a NUL byte, a row of another length.
Table read_csv(std::string_view text, const std::string& name, char delimiter);

}  // namespace dlrun::dataset
