// SPDX-License-Identifier: Apache-2.0
// Numbers of single examples of a data set, as a file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dlrun::tensors {

/// A number for each of some rows of a data set, and the metric whose value is their plain mean.
struct RowValues {
  std::string metric;              ///< "val.accuracy"
  std::int64_t epoch = 0;          ///< at whose end the metric was measured
  std::vector<std::int64_t> rows;  ///< row numbers of the data set, ascending, the same for every split
  std::vector<float> values;       ///< [rows]
  /// [rows] number of the group or the stretch of time that a row is of; empty: each is by itself.
  std::vector<std::int64_t> clusters = {};
  bool operator==(const RowValues&) const = default;
};

/// The bytes of a safetensors file: tensors `rows` (I64), `values` (F32) and, where there are any, `clusters` (I64),
/// metadata `metric` and `epoch`; equal values give equal bytes.
std::string write_row_values(const RowValues& values);

/// @param what  names the file in messages
/// @throws Error(store) for bytes that write_row_values() does not write.
RowValues read_row_values(std::string bytes, const std::string& what);

}  // namespace dlrun::tensors
