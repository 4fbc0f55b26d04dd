// SPDX-License-Identifier: Apache-2.0
// Weights to begin with, from a file instead of drawn.
#pragma once
#include <optional>

#include "nn/parameters.hpp"
#include "tensors/weights.hpp"
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// Copies the file's tensors over the model's, by name; floats of other widths are rounded to float32.
/// @param init  {from, strict, sha256}; null: nothing is done
/// @return      for the record: what every tensor of the model and of the file became
/// @throws Error(usage) where the file is gone or changed, or, nothing changed, where it does not fit.
std::optional<trial::WeightStart> load_initial(const Json& init, const nn::Parameters& parameters);

/// The record of a tensor of a file that the model has no place for.
trial::TensorStart skipped(const tensors::TensorView& weight, const std::string& donor);

}  // namespace dlrun::train
