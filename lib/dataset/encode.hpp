// SPDX-License-Identifier: Apache-2.0
// Columns to input numbers: categories one-hot in sorted order, gaps filled, numbers scaled and standardised. What is
// measured (mean, median, deviation, most frequent) is measured on the training rows alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/frame.hpp"

namespace dlrun::dataset {

/// Measures of a source column, which decide how its cells are encoded.
struct FittedColumn {
  std::string name;
  bool is_categorical = false;
  bool is_date = false;                 ///< numbers are days since 1970-01-01
  double fill = 0;                      ///< numbers: value of a gap
  double divisor = 1;                   ///< x -> ((x or fill) / divisor - shift) / deviation
  double shift = 0, deviation = 1;      ///<
  std::vector<std::string> categories;  ///< an input for each: 1 where it is the cell
  std::int32_t gap_code = -1;           ///< the category that a gap stands for; -1: none
  bool has_gap_input = false;           ///< one more input: 1 where the cell is a gap

  double filled(double number) const;
};

struct Encoded {
  std::vector<std::string> names;    ///< name of each input: "age", "sex=male", "deck=(missing)", "age=(missing)"
  std::vector<std::string> columns;  ///< the source column of each
  std::vector<float> inputs;         ///< [rows, names]
};

/// Fitted columns, one for each feature. @param train row numbers.
std::vector<FittedColumn> fit(const Frame& frame, const std::vector<std::int64_t>& train, const Json& data);

/// A target of numbers, to mean 0 and deviation 1 over the training rows. @param train  row numbers
FittedColumn fit_target(const Column& target, const std::vector<std::int64_t>& train);

/// @param fitted  one for each feature of the frame.  @throws DataError: a value outside of float32, with its line.
Encoded encode(const Frame& frame, const std::vector<FittedColumn>& fitted);

}  // namespace dlrun::dataset
