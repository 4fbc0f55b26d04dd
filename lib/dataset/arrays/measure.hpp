// SPDX-License-Identifier: Apache-2.0
// Scale and shift of arrays of numbers, and checks of their values.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/array.hpp"

namespace dlrun::dataset {

/// Divides by `divisor`; then, if asked, to mean 0 and deviation 1 over the training rows: each feature of examples
/// [features], each channel of [channels, height, width], of other shapes all numbers together.
void scale_numbers(Array& array, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& train,
                   double divisor, bool is_standardised);

/// @throws DataError with example and position of the first NaN or infinity.
/// @param first  number of the first example
void require_finite(const Array& array, const std::string& name, const std::string& key, std::int64_t first = 0);

struct Range {
  std::int64_t low = 0, high = 0;
};
/// Least and greatest of whole numbers.
Range range_of(const Array& array);

/// Both arrays, one behind the other. REQUIRES: the same width and element.
Array joined(const Array& first, const Array& second);

}  // namespace dlrun::dataset
