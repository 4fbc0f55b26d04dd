// SPDX-License-Identifier: Apache-2.0
// A trial's weights as a file that other programs read.
#pragma once
#include <filesystem>
#include <string>

#include "selectors.hpp"

namespace dlrun::cli {

struct Weights {
  std::string bytes;  ///< a safetensors file: the model's tensors under their plain names, as in PyTorch's state_dict
  std::size_t tensors = 0;
  std::string role;       ///< "best" or "last": of which epoch
  std::int64_t step = 0;  ///< that epoch
};

/// @param role  "best": the best epoch's where it was kept, else the last one's; "last". Of several replicates or folds
///              the first.
/// @throws Error(not_found) where the trial has left no checkpoint or has given it up; Error(store) for a damaged one.
Weights weights_of(const std::filesystem::path& store, const OneTrial& trial, const std::string& role);

}  // namespace dlrun::cli
