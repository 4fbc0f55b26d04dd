// SPDX-License-Identifier: Apache-2.0
// Checkpoints that a trial has left, and its weights as a file that other programs read.
#pragma once
#include <filesystem>
#include <string>

#include "report/selectors.hpp"
#include "trial/trial.hpp"

namespace dlrun::final {

/// How a program leaves a checkpoint, for the hint of an error.
inline constexpr const char* kReporting =
    "a program leaves one by a line of its report: {\"checkpoint\": FILE, \"step\": N}; a function of Python by "
    "trial.checkpoint(FILE)";

struct Checkpoint {
  std::string role;       ///< "best" or "last": of which epoch
  std::int64_t step = 0;  ///< number of that epoch
  std::string sha256;
  trial::Member member;
};

/// @param epoch  "best": the best epoch's, the last one's where the study keeps none; "last"; or an epoch's number;
///               empty: as best, or the last one's where that was given up. Of several replicates or folds the first.
/// @throws Error(not_found) where the trial has left no such checkpoint or has given it up, with those there are;
/// Error(usage) for a word that is no epoch.
Checkpoint checkpoint_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch);

/// Copies the file of checkpoint_of(store, trial, epoch) as the trial left it; its new name appears when it is whole.
/// @throws as checkpoint_of; Error(store) for one that is missing or damaged; Error(outside).
Checkpoint copy_checkpoint(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch,
                           const std::filesystem::path& target);

struct Weights {
  std::string bytes;  ///< a safetensors file: the model's tensors under their plain names, as in PyTorch's state_dict
  std::size_t tensors = 0;
  Checkpoint from;
};

/// Weights of checkpoint_of(store, trial, epoch). @throws as checkpoint_of; Error(store) for a damaged one.
Weights weights_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch);

}  // namespace dlrun::final
