// SPDX-License-Identifier: Apache-2.0
// Opening a study to read it, while its driver writes or long after, also where the folder cannot be written.
#pragma once
#include <filesystem>
#include <memory>

#include "storage/sqlite.hpp"
#include "storage/store.hpp"

namespace dlrun::storage {

/// <name>.db-snapshot: what readers see of a study that is being written on a network file system.
std::filesystem::path snapshot_file(const std::filesystem::path& file);

/// mode=ro; immutable where the folder is read-only. The schema is checked.
/// @throws Error(store) damaged, newer, no study of ours; Error(outside) I/O.
std::unique_ptr<Database> open_for_reading(const std::filesystem::path& file);

/// What ATTACH takes: file:…?mode=ro, immutable where open_for_reading() would say so.
std::string read_only_uri(const std::filesystem::path& file);

/// The study's own row. Where the study was renamed its spec has the new name.
StudyRow read_study(Database& database);

/// A spec under the study's name of today. @return the name it had; empty: the same
std::string rename_spec(Json& spec, const std::string& name);

/// Rejects a file that was renamed: a run would continue the study that the file names inside.
/// @throws Error(store) with both names.
void require_own_name(Database& database, const std::string& name);

/// When a driver last took the study up, in ms since 1970; 0: never.
std::int64_t read_started(Database& database);

}  // namespace dlrun::storage
