// SPDX-License-Identifier: Apache-2.0
// A database of Optuna's, read.
#pragma once
#include <filesystem>
#include <string>

#include "storage/optuna_rows.hpp"

namespace dlrun::optuna {

/// Reads one study with all that is stored of it. Trials come by number; heartbeats, which only running trials have,
/// are left out.
/// @param name  empty: the only one of the file
/// @throws Error(usage) no database of Optuna's, another schema, or several studies and no name, listing them;
///         Error(not_found) no such study; Error(outside) the file cannot be read.
storage::OptunaStudy read_study(const std::filesystem::path& file, const std::string& name);

}  // namespace dlrun::optuna
