// SPDX-License-Identifier: Apache-2.0
// Names for the part of a training that is done: equal names, equal states, to the bit.
#pragma once
#include <string>

#include "train/config.hpp"
#include "train/progress.hpp"

namespace dlrun::train {

/// A hash of all that a training's state follows from so far, the rates of every step as they were.
/// @param model_hash, data_hash  as of fingerprint()
std::string prefix(const Config& config, const std::string& model_hash, const std::string& data_hash,
                   const Progress& progress);

/// The fingerprint that the settings would have without `warm_start`: a checkpoint of that name is continued to the
/// bit.
std::string cold_fingerprint(Config config, const std::string& model_hash, const std::string& data_hash);

}  // namespace dlrun::train
