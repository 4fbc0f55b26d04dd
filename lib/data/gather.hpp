// SPDX-License-Identifier: Apache-2.0
// Copies rows of an array into a tensor, in the form that a model reads.
#pragma once
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "dataset/array.hpp"

namespace dlrun::data {

/// Copies rows[0 … to.size(0)) one after the other, as memory allows.
/// @param to  [N, …] float32 (numbers: scaled and shifted) or int64 (indices), contiguous, array.width numbers a row
void gather(const dataset::Array& array, const std::int64_t* rows, const at::Tensor& to);

}  // namespace dlrun::data
