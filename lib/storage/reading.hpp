// SPDX-License-Identifier: Apache-2.0
// Opening a study to read it, while its driver writes or long after, also where the folder cannot be written.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "storage/rows.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// <name>.db-snapshot: copy for readers of a study that is being written on a network file system.
std::filesystem::path snapshot_file(const std::filesystem::path& file);

/// Whether the file has a WAL with rows that it may lack itself: a driver is at work, or was killed.
bool has_rows_in_wal(const std::filesystem::path& file);

/// mode=ro; immutable where the folder is read-only, or where that alone works and no row can be missed. The schema is
/// checked.
/// @throws Error(store) damaged, newer, no study of ours; Error(outside) I/O.
std::unique_ptr<Database> open_for_reading(const std::filesystem::path& file);

/// Name for ATTACH: file:…?mode=ro, immutable where open_for_reading() would say so.
std::string read_only_uri(const std::filesystem::path& file);

/// The study's own row. Where the study was renamed its spec has the new name.
StudyRow read_study(Database& database);

/// A spec under the study's name of today. @return the name it had; empty: the same
std::string rename_spec(Json& spec, const std::string& name);

/// Rejects a file that was renamed: a run would continue the study that the file names inside.
/// @throws Error(store) with both names.
void require_own_name(Database& database, const std::string& name);

/// Every row of a study's log in order, as it stands at one moment, without the writer's lock.
/// @throws Error(not_found) no such study; Error(store) naming the first row that does not fit the chain.
void read_log(const std::filesystem::path& folder, const std::string& name,
              const std::function<void(const LogRow&)>& row);

/// The version of the arithmetic that an earlier driver of the study decided with, if it is not `ours`, of the latest
/// such driver (Store::environment).
std::optional<int> other_arithmetic(Database& database, int ours);

/// When a driver last took the study up, in ms since 1970; 0: never.
std::int64_t read_started(Database& database);

}  // namespace dlrun::storage
