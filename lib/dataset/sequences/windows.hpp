// SPDX-License-Identifier: Apache-2.0
// Windows over a sequence in time: which lie wholly within the rows of a split.
#pragma once
#include <cstdint>

#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// Window i covers the items i * step … i * step + need - 1.
struct Windows {
  std::int64_t items = 0;  ///< in the whole sequence
  std::int64_t need = 1;   ///< items of a window and of its prediction
  std::int64_t step = 1;
  std::int64_t train_end = 0, val_end = 0;  ///< items below are for training, for validation; the rest for the test

  /// REQUIRES: items >= need.
  std::int64_t count() const { return (items - need) / step + 1; }
};

/// First item of the validation part, and of the test part: the past is for training.
void set_borders(Windows& windows, const Json& split);

/// Windows that cross a border are in no split, so that none sees the examples that measure another.
/// @throws DataError: a part that was asked for is too short for one window.
Rows window_rows(const Windows& windows, const Json& split);

}  // namespace dlrun::dataset
