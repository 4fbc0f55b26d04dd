// SPDX-License-Identifier: Apache-2.0
// Columns of a series as rows of numbers, and windows over them, for training data and new data.
#pragma once
#include <string>
#include <vector>

#include "dataset/frame.hpp"
#include "dataset/sequences/windows.hpp"

namespace dlrun::dataset {

/// Numbers of a column, gaps filled by the last value where the section says so. @throws DataError for other gaps.
std::vector<double> filled(const Column& column, const Json& data, const Frame& frame, const std::string& file);
/// A target is never made up. @throws DataError for a gap.
void require_whole(const Column& target, const Frame& frame);

/// x -> (x - mean) / deviation.
struct Standard {
  double mean = 0, deviation = 1;

  void apply(std::vector<double>& numbers) const;
};

/// Mean 0 and deviation 1 over the first `train` rows; a constant column becomes 0.
Standard standard_of(const std::vector<double>& numbers, std::int64_t train);

/// Columns side by side, [rows, columns].
class SeriesMatrix {
 public:
  /// @param frame  lent; has the rows' places
  explicit SeriesMatrix(const Frame& frame) : rows_(frame.rows), frame_(frame) {}

  /// @throws DataError with the row for a number that float32 cannot hold.
  void add_column(const std::string& name, const std::vector<double>& numbers);
  /// Examples of `length` rows, from row `first` on.
  Array windows(const Windows& w, std::int64_t first, std::int64_t length) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t rows_;
  const Frame& frame_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

/// The inputs, gaps filled: the features, and the targets' past where it is one.
std::vector<Column> inputs_of(const Json& data, const Frame& frame, const std::string& file);
/// @throws DataError for a gap, or a target that is no number.
std::vector<Column> targets_of(const Json& data, const Frame& frame, const std::string& file);
/// The rows of each part of the time.
Rows parts_of(const Windows& w);
/// Windows of a section over a file's rows. @throws DataError where they are too few.
Windows windows_of(const Json& data, const Frame& frame, const std::string& file);

}  // namespace dlrun::dataset
