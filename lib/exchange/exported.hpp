// SPDX-License-Identifier: Apache-2.0
// Input and answer of every export.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "exchange/export_folder.hpp"
#include "report/column_names.hpp"

namespace dlrun::exchange {

struct ExportRequest {
  FolderOptions folder;
  std::vector<std::string> studies;
};

/// Contents of the folder that was written, for a person.
struct Exported {
  std::int64_t trials = 0;
  std::int64_t skipped = 0;             ///< trials that have not started
  std::int64_t values = 0;              ///< metrics by epoch
  std::vector<std::string> unfinished;  ///< studies that are not finished: the folder has their results so far
  std::vector<std::string> remarks;     ///< names and values that the other tool cannot take as they are
  std::filesystem::path final_path;
};

/// Name of the curve that has only the value by which dlrun ranks the trial.
using report::objective_tag;

/// "replicate-0-fold-1"
std::string member_name(const std::pair<int, int>& member);

}  // namespace dlrun::exchange
