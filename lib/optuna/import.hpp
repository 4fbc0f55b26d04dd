// SPDX-License-Identifier: Apache-2.0
// A study that Optuna carried out into a store, as a study that is over.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::optuna {

struct ImportOptions {
  std::filesystem::path store;
  std::string study = {};  ///< name in Optuna; empty: the only one of the file
  std::string name = {};   ///< name in the store; empty: that of Optuna, with '_' for what may not stand in a name
};

struct Imported {
  std::string study;    ///< name in the store
  std::string came_as;  ///< name in Optuna
  std::int64_t trials = 0;
  std::int64_t open = 0;  ///< trials that were not over; they are cancelled
};

/// The study appears as a whole or not at all. Trials have parameters, metrics and results as dlrun's own have, so that
/// it is reported and learned from as these are; beside them stands all that Optuna stored, as it was, and an export
/// gives it back. Decisions of the study are none of dlrun's: it is over, and nothing continues it.
/// @throws Error(usage) as read_study(), or what has no place in a study of dlrun's; Error(not_found) no such study
/// there;
///         Error(store) the name is taken; Error(outside).
Imported import_study(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace dlrun::optuna
