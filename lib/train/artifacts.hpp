// SPDX-License-Identifier: Apache-2.0
// Files in the store's artifacts/, named by the SHA-256 of their content.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "trial/trial.hpp"

namespace dlrun::train {

/// artifacts/ab/abcd….safetensors
std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256);

/// Writes `bytes` under their own name, durably; a file that has them already stays.
/// @throws Error(outside) for a full disk and the like.
trial::Artifact publish(const std::filesystem::path& artifacts, std::string_view bytes, const std::string& role,
                        std::int64_t step);

/// The content, compared with its name.
/// @throws Error(store) where it is missing or damaged.
std::string fetch(const std::filesystem::path& artifacts, const std::string& sha256);

}  // namespace dlrun::train
