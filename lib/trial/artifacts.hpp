// SPDX-License-Identifier: Apache-2.0
// Where an artifact lies: artifacts/<first two digits>/<sha256>, named by its content.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "trial/trial.hpp"

namespace dlrun::trial {

/// The file of an artifact. Part of the store's format.
std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256);

/// Reads an artifact's file and compares it with its name. @throws Error(store) missing or damaged.
void require_sound(const std::filesystem::path& file, const std::string& sha256);

/// Copies `file` into the artifacts, durably, and names it. @throws Error(outside), Error(usage) where it cannot be
/// read.
Artifact keep_artifact(const std::filesystem::path& artifacts, const std::filesystem::path& file,
                       const std::string& role, std::int64_t step);

}  // namespace dlrun::trial
