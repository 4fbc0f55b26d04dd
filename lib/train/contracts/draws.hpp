// SPDX-License-Identifier: Apache-2.0
// Numbers for the contract tests, the same in every run, and comparisons of tensors.
#pragma once
#include <ATen/ATen.h>

#include <string>

#include "model/graph.hpp"

namespace dlrun::train::contracts {

/// Standard normal numbers, float32. @param name  of the stream: another one for each tensor
at::Tensor drawn(const model::Shape& shape, const std::string& name);
/// int64 in [0, below).
at::Tensor drawn_labels(std::int64_t count, std::int64_t below, const std::string& name);
/// A permutation of [0, count), never the identity where there are two.
at::Tensor drawn_order(std::int64_t count);

/// Whether types, sizes and all bits are equal; a NaN equals itself.
bool are_equal(const at::Tensor& a, const at::Tensor& b);
/// The greatest difference, relative to the greatest number of both where that is above 1; infinity for a NaN.
double difference(const at::Tensor& a, const at::Tensor& b);
bool is_finite(const at::Tensor& a);

}  // namespace dlrun::train::contracts
