// SPDX-License-Identifier: Apache-2.0
// One trial as a study of its own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::cli {

/// YAML text named STUDY-trial-N: the trial's values stand in `trial:` and as constants in the space, and the seed is
/// the study's, so running it measures the same again.
std::string trial_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial);

}  // namespace dlrun::cli
