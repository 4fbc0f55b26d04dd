// SPDX-License-Identifier: Apache-2.0
// The checkpoints that a training begins with.
#pragma once
#include <filesystem>
#include <vector>

#include "train/safetensors.hpp"
#include "train/weights.hpp"
#include "warmstart/settings.hpp"
#include "warmstart/transfer.hpp"

namespace dlrun::train {

/// A donor's file, and what a model takes of it.
struct Loaded {
  SafeTensors file;
  warmstart::TransferPlan plan;  ///< by number in Parameters::all()
  Weights weights;               ///< the whole model's: tensors that are not taken are those of `fresh`
};

/// Reads and compares them; nothing of the model changes.
/// @param fresh  what the layers drew
/// @throws Error(store) missing or damaged; Error(usage) E402, E404, E405, naming donor and tensor.
std::vector<Loaded> load_donors(const warmstart::WarmStart& start, const std::filesystem::path& artifacts,
                                const nn::Parameters& parameters, const Weights& fresh);

}  // namespace dlrun::train
