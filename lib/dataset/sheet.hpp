// SPDX-License-Identifier: Apache-2.0
// A table under its header, and the columns a section means.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/csv_reader.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

struct Sheet {
  Table table;
  std::string file;
  std::size_t first = 0;  ///< first row of data
  std::vector<std::string> names;

  std::size_t rows() const { return table.rows() - first; }
};

/// @param data normalised section: `header`, `delimiter`.  @param text must outlive the sheet.
/// @throws DataError: as read_csv; no rows, a column without a name, two of one name.
Sheet read_sheet(const Json& data, std::string_view text, const std::string& file);

/// Sheet of a table that was read.
Sheet sheet_of(Table table, const Json& data, const std::string& file);
/// '\0': to be found out. @throws DataError: no delimiter.
char delimiter_of(const Json& data);

/// A column by its name or number (negative: from the end). @throws DataError at `key`.
std::size_t find_column(const Sheet& sheet, const Json& wanted, const std::string& key);
/// All columns that a key lists.
std::set<std::size_t> find_columns(const Sheet& sheet, const Json& data, const std::string& key);

}  // namespace dlrun::dataset
