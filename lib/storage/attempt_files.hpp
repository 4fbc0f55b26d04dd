// SPDX-License-Identifier: Apache-2.0
// Working files in the folders of a study's attempts: all but their logs. No row of the study names them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "storage/retention.hpp"

namespace dlrun::storage {

/// Working files of all attempts, by their paths below the store; nothing is changed.
std::vector<Doomed> attempt_files(const std::filesystem::path& folder, const std::string& study);

/// Deletes them, and the folders and links beside them. REQUIRES: the study's lock. @throws Error(outside).
Collected remove_attempt_files(const std::filesystem::path& folder, const std::string& study);

}  // namespace dlrun::storage
