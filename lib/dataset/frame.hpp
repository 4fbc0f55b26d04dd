// SPDX-License-Identifier: Apache-2.0
// A csv section and its file: which columns are inputs, which the target, each read and judged.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

struct Frame {
  std::size_t rows = 0;
  std::vector<Column> features;                                 ///< in the file's order
  std::vector<std::int64_t> lines;                              ///< of each row, for messages
  std::map<std::string, std::vector<std::string>> split_cells;  ///< by split.KEY ("group"): the column's cells, [rows]
  // classification:
  std::vector<std::string> classes;
  std::vector<std::int64_t> labels;  ///< [rows]
  // regression:
  std::vector<Column> targets;
};

/// @param data normalised section.  @param needs_features  whether a table of targets alone is a fault.
/// @throws DataError.
Frame read_frame(const Json& data, std::string_view text, const std::string& file, bool needs_features = true);

}  // namespace dlrun::dataset
