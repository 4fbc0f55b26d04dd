// SPDX-License-Identifier: Apache-2.0
// Columns to input numbers: categories one-hot in sorted order, gaps filled, numbers scaled and standardised. What is
// measured (mean, median, deviation, most frequent) is measured on the training rows alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/frame.hpp"

namespace dlrun::dataset {

struct Encoded {
  std::vector<std::string> names;    ///< of each input: "age", "sex=male", "deck=(missing)", "age=(missing)"
  std::vector<std::string> columns;  ///< the source column of each
  std::vector<float> inputs;         ///< [rows, names]
};

/// @param train row numbers.  @throws DataError: a value outside of float32, with its line.
Encoded encode(const Frame& frame, const std::vector<std::int64_t>& train, const Json& data);

}  // namespace dlrun::dataset
