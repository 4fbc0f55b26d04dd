// SPDX-License-Identifier: Apache-2.0
// Weights that trials begin with and that their study cannot train again: checkpoints of other studies, files of the
// user's. If one is missing or damaged, no trial is to blame and only a person can bring it back.
#pragma once
#include <filesystem>
#include <string>

#include "driver/opening.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

/// Reads all such weights, if the study may still begin a trial.
/// @throws Error(store) as lost_weights() has it.
void require_foreign_weights(const Opened& opened, const std::filesystem::path& folder);

/// Error that names the file, its owner, and the command that brings it back.
/// @param fault   "is missing"
/// @param folder  of the store
Error lost_weights(const trial::InputFile& input, const std::string& fault, const spec::StudySpec& spec,
                   const std::filesystem::path& folder);

}  // namespace dlrun::driver
