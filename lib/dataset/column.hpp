// SPDX-License-Identifier: Apache-2.0
// A column of a table and what its cells are: numbers or categories. Judged over the whole column, so that the width
// of the encoded input depends on neither seed nor split.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/csv_reader.hpp"

namespace dlrun::dataset {

/// The finite number a cell is, as a whole; nullopt where it is none.
std::optional<double> parse_number(std::string_view cell);

struct Column {
  std::string name;
  std::size_t index = 0;  ///< in the table
  bool is_categorical = false;
  std::vector<double> numbers;          ///< [rows], NaN where missing; empty for categories
  std::vector<std::int32_t> codes;      ///< [rows], place in `categories`, -1 where missing; empty for numbers
  std::vector<std::string> categories;  ///< sorted: by value where all are numbers, else by bytes
  std::int64_t gaps = 0;                ///< missing cells
};

/// How columns are judged.
struct ColumnRules {
  std::string file;                  ///< name, for messages
  std::vector<std::string> missing;  ///< cells that mean: no value
  std::size_t most_categories = 100;
  bool are_numbers = false;  ///< declared: any text is a fault
};

/// @param first first row of data (1 below a header).  @param force_categories numbers are categories all the same.
/// @throws DataError: mostly numbers but not all, too many categories, no value at all, no UTF-8.
Column read_column(const Table& table, std::size_t index, const std::string& name, std::size_t first,
                   bool force_categories, const ColumnRules& rules);

/// @throws DataError naming `what` unless the text is valid UTF-8 (RFC 3629).
void require_utf8(std::string_view text, const std::string& what, const std::string& file);

}  // namespace dlrun::dataset
