// SPDX-License-Identifier: Apache-2.0
// The columns of a time series, from a table or from numpy's arrays; told apart by the file's first bytes.
#pragma once
#include <string>

#include "dataset/formats.hpp"
#include "dataset/frame.hpp"

namespace dlrun::dataset {

struct SeriesFrame {
  Frame frame;  ///< features and targets; NaN where a value is missing; "time" in split_cells where named
  std::string sha256;
};

/// @param data normalised section.  @throws DataError: as the readers of tables and arrays, times that fall.
SeriesFrame read_series(const Json& data, const std::filesystem::path& file);

/// Times as texts. @throws DataError: one is no finite number.
std::vector<std::string> times_of(const std::vector<double>& column, const std::string& file);
/// Order of split_cells["time"], where there are any, as time_keys() says.
/// @throws DataError where one falls; as time_keys().
void check_order(const Frame& frame);

Dataset load_series(const Json& data, const Sources& sources, std::uint64_t seed);
/// Format::measured: (number - shift) / deviation of each input column and of each column of the target.
Json measured_series(const Json& data, const Sources& sources, std::uint64_t seed);
/// Format::fresh: windows over another series. A prediction needs a window alone, so the last ones foretell rows that
/// the file has not. Rows are known by the number, and the time, of the first row that is predicted.
Fresh fresh_series(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed);

}  // namespace dlrun::dataset
