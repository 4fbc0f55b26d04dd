// SPDX-License-Identifier: Apache-2.0
// Gradients of a layer against numerical differences.
#pragma once
#include "train/contracts/tested_layer.hpp"

namespace dlrun::train::contracts {

/// Compares those of all inputs that hold numbers and of all tensors that are trained, at drawn numbers.
/// @return  count of the gradients    @throws Broken for the first that differs, as require_slope()
int compare_gradients(const LayerCase& at, const Inputs& inputs, const nn::Pass& pass);

}  // namespace dlrun::train::contracts
