// SPDX-License-Identifier: Apache-2.0
// The files of artifacts/ and who refers to them.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/retention.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// SHA-256 of artifacts as text.
using Hashes = std::set<std::string>;

/// Hashes that a study's rows hold on to.
Hashes kept_by(Database& study);

/// Removes from `candidates` those that another study of the store refers to. False: one of them is being written or
/// cannot be read, so nobody knows.
bool remove_kept_elsewhere(const std::filesystem::path& folder, const std::string& except, Hashes& candidates);

/// <artifacts>/ab/abcd… with any extension, sorted; not what a killed writer left beside it. Rows are data: what is no
/// hash names no file. @throws Error(outside) where the folder cannot be read.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& artifacts, const std::string& hash);

/// Deletes them, and says how many and how much that was.
Collected delete_files(const std::vector<std::filesystem::path>& files);
Collected delete_files(const std::filesystem::path& artifacts, const Hashes& hashes);

}  // namespace dlrun::storage
