// SPDX-License-Identifier: Apache-2.0
// A column of a table and the kind of its cells: numbers or categories. Judged over the whole column, so that the width
// of the encoded input depends on neither seed nor split.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/csv_reader.hpp"

namespace dlrun::dataset {

/// The finite number a cell is, as a whole; nullopt where it is none.
std::optional<double> parse_number(std::string_view cell);

/// Whether a cell is a number with a comma before its decimals, "1,5" or "1.234,56", which parse_number() takes for
/// text.
bool has_decimal_comma(std::string_view cell);

inline constexpr std::int32_t kGap = -1;     ///< no value
inline constexpr std::int32_t kUnseen = -2;  ///< a category that stands for nothing: none of the column's

struct Column {
  std::string name;
  std::size_t index = 0;  ///< in the table
  bool is_categorical = false;
  bool is_date = false;                 ///< numbers are days since 1970-01-01
  std::vector<double> numbers;          ///< [rows], NaN where missing; empty for categories
  std::vector<std::int32_t> codes;      ///< [rows], place in `categories`, kGap or kUnseen; empty for numbers
  std::vector<std::string> categories;  ///< sorted: by value where all are numbers, else by bytes
  std::int64_t gaps = 0;                ///< missing cells
};

/// How columns are judged.
struct ColumnRules {
  enum class Type { judged, number, category, date };  ///< all but judged: declared, any other cell is a fault

  std::string file;                  ///< name, for messages
  std::vector<std::string> missing;  ///< cells that mean: no value
  std::size_t most_categories = 100;
  Type type = Type::judged;
  std::string key = "path";  ///< key of the section, for messages
  bool are_numbers = false;  ///< a further table's category may be spelled as another number of the same value
  bool fills_gaps = false;   ///< a category that is missing will be filled in, so a column need not know gaps
};

/// Where a column lies.
struct ColumnPlace {
  const Table& table;
  std::size_t index = 0;
  std::size_t first = 0;  ///< first row of data (1 below a header)
};

/// @throws DataError: mostly numbers but not all, too many categories, no value at all, no UTF-8.
Column read_column(const ColumnPlace& place, const std::string& name, const ColumnRules& rules);

/// Adds the rows of another table. `unseen`: handles a category, or a missing value, that the column does not
/// know; called with the message and the place, it may throw.
using Unseen = std::function<void(const std::string& message, const std::string& place)>;
/// @throws DataError with the line: a cell that is no number or date where the column's are.
void extend_column(Column& column, const ColumnPlace& place, const ColumnRules& rules, const Unseen& unseen);

/// Mean of the rows that have a value; 0 where none has. REQUIRES: numbers.
double mean_of(const Column& column, const std::vector<std::int64_t>& rows);
/// The category most of the rows have, the first of equals; nullopt where none has one. REQUIRES: categories.
std::optional<std::int32_t> most_frequent(const Column& column, const std::vector<std::int64_t>& rows);

/// @throws DataError naming `what` unless the text is valid UTF-8 (RFC 3629).
void require_utf8(std::string_view text, const std::string& what, const std::string& file);

}  // namespace dlrun::dataset
