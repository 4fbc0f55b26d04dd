// SPDX-License-Identifier: Apache-2.0
// The files of artifacts/ and who refers to them.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/lock.hpp"
#include "storage/retention.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// SHA-256 of artifacts as text.
using Hashes = std::set<std::string>;

/// Hashes that a study's rows hold on to.
Hashes kept_by(Database& study);

/// Lock of a store's artifacts, `gc.lock`: held for moments by whoever moves files in before a study names them, or
/// deletes files that none names. Waits a minute for it. @throws Error(store) it is held for longer; Error(outside).
WriterLock lock_artifacts(const std::filesystem::path& folder);
/// The same, if nobody holds it now.
std::optional<WriterLock> try_lock_artifacts(const std::filesystem::path& folder);

/// Removes from `candidates` those that another study of the store refers to.
/// @return why nobody knows them all: a study is being written or cannot be read
std::optional<Hindrance> remove_kept_elsewhere(const std::filesystem::path& folder, const std::string& except,
                                               Hashes& candidates);

/// <artifacts>/ab/abcd… with any extension, sorted; not what a killed writer left beside it. Rows are data: what is no
/// hash names no file. @throws Error(outside) where the folder cannot be read.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& artifacts, const std::string& hash);

/// Deletes them, and says how many and how much that was.
Collected delete_files(const std::vector<std::filesystem::path>& files);
Collected delete_files(const std::filesystem::path& artifacts, const Hashes& hashes);

}  // namespace dlrun::storage
