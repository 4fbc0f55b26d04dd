// SPDX-License-Identifier: Apache-2.0
// Tensors of a file and tensors of a model.
#pragma once
#include <vector>

#include <ATen/core/Tensor.h>

#include "nn/parameters.hpp"
#include "tensors/weights.hpp"

namespace dlrun::train {

/// The tensors that a file has to have for these parameters, in their order.
std::vector<tensors::Wanted> wanted_by(const nn::Parameters& parameters);

/// A tensor that owns its numbers: those of a file need not be aligned.
at::Tensor tensor_of(const tensors::TensorView& view);

}  // namespace dlrun::train
