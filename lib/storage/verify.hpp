// SPDX-License-Identifier: Apache-2.0
// Reading all of a study to find damage: pages, log, the rows made from it, the files it names.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Extent of a check, and the faults found, one line each.
struct Verified {
  std::int64_t log_rows = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;  ///< size of the files
  std::vector<std::string> faults;
};

/// Reads a study: SQLite's own check of pages and indexes; every hash of the log, and the head beside the file; rows of
/// decisions, parameters, metrics and artifacts against the log they were made from; rows of trials that are none; and
/// every artifact that was not deleted. Older tables are read in a migrated copy, of which the system's temporary
/// folder has to have room. What time and place only say (attempts, workers, telemetry) is in no hash.
/// @param reads_files  hash the artifacts; else look for them and their sizes only
/// @throws Error(not_found) no such study; Error(outside) it cannot be read. Damage is never thrown.
Verified verify_study(const std::filesystem::path& folder, const std::string& name, bool reads_files);

/// Checks an open file alone: pages, log and rows; no head, no artifacts. @throws Error(outside).
Verified verify_database(Database& database);

}  // namespace dlrun::storage
