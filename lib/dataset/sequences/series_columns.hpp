// SPDX-License-Identifier: Apache-2.0
// The columns of a time series that lie in numpy's arrays.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/sheet.hpp"

namespace dlrun::dataset {

enum class SeriesKind { table, array, archive };
/// Kind of a series file, by its first bytes.
SeriesKind series_kind(const std::filesystem::path& file);

/// Columns with their names: a sheet without cells, and the numbers beside it. NaN is a gap.
struct SeriesColumns {
  Sheet sheet;
  std::vector<std::vector<double>> values;  ///< values of each name, [rows]
  std::string sha256;                       ///< hash of the file

  void add_column(std::string name, std::vector<double> column) {
    sheet.names.push_back(std::move(name));
    values.push_back(std::move(column));
  }
};

/// `.npy` of [rows] or [rows, columns]. @param names  a list, one for each column; null: c0, c1, …
/// @throws DataError: another shape, other names.
SeriesColumns array_columns(const std::filesystem::path& file, const Json& names);
/// `.npz`: [rows] under its name, [rows, columns] as NAME.0, NAME.1, ….
SeriesColumns archive_columns(const std::filesystem::path& file);

}  // namespace dlrun::dataset
