// SPDX-License-Identifier: Apache-2.0
// Weights to begin with, from a file instead of drawn.
#pragma once
#include "nn/parameters.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// Copies the file's tensors over the model's, by name; floats of other widths are rounded to float32.
/// @param init  {from, strict, sha256}; null: nothing is done
/// @throws Error(usage) where the file is gone or changed, or, nothing changed, where it does not fit.
void load_initial(const Json& init, const nn::Parameters& parameters);

}  // namespace dlrun::train
