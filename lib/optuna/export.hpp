// SPDX-License-Identifier: Apache-2.0
// Studies of a store into a database that Optuna can go on with.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::optuna {

struct Exported {
  std::int64_t trials = 0;
  std::int64_t open = 0;  ///< trials that were waiting, running or paused
};

/// Writes all studies into one new database of Optuna's, each as it is at one moment, whoever writes it meanwhile. Ids
/// count from 1 as Optuna's do, through all studies. `file` appears as a whole: it is written beside and renamed, in
/// place of a file that is there. REQUIRES: its folder is there.
/// @throws Error(not_found) no such study; Error(store) a study that is damaged, or in whose file Optuna keeps studies
/// of its
///         own; Error(outside).
Exported export_studies(const std::filesystem::path& store, const std::vector<std::string>& studies,
                        const std::filesystem::path& file);

}  // namespace dlrun::optuna
