// SPDX-License-Identifier: Apache-2.0
// Text of SVMlight and LIBSVM to the cells of a table.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/sheet.hpp"

namespace dlrun::dataset {

/// Columns of features, one for each index.
struct IndexRange {
  std::int64_t count = 0;             ///< 0: up to the largest index of the text
  std::optional<std::int64_t> first;  ///< index of the first column, 0 or 1; nullopt: 0 where the text has it, else 1
};

/// Lines `target index:value index:value … # comment` as rows of `target` and a column for each index, named by it; an
/// absent index is 0. A target has one spelling for each number (1 for +1 and 1.0), so that texts do not differ by it.
/// @param text  must outlive the sheet.  @param key  of the section, for faults: "path", "val", "test", "data"
/// @throws DataError with file, line and column: a target or value that is no finite number, an index that is none, is
/// not above the one before it, or has no column; qid. Also: no rows, no column, rows of more than 4 GiB of float32.
Sheet read_svmlight(std::string_view text, const std::string& file, const std::string& key, IndexRange columns);

}  // namespace dlrun::dataset
