// SPDX-License-Identifier: Apache-2.0
// Gradients against numerical differences.
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <string>

namespace dlrun::train::contracts {

/// Value of a function of a tensor, a weighted sum of float32 numbers.
struct Summed {
  double sum = 0;   ///< in double
  double size = 0;  ///< Euclidean norm of the summed numbers, which are rounded to float32
};
/// The sum of `weights * numbers`.
Summed summed(const at::Tensor& numbers, const at::Tensor& weights);

/// A gradient at a point.
struct Slope {
  std::string of;  ///< for messages: "input 1"
  at::Tensor point, gradient;
  std::function<Summed(const at::Tensor& point)> value;
};

/// Part of a gradient's length by which it may differ from the numerical difference, beside the rounding of float32.
inline constexpr double kSlopeTolerance = 0.02;

/// Compares along two directions, each by central differences of three step widths, of which the best counts: where a
/// function has a kink, a narrow step seldom meets it, and a wide one is less rounded.
/// @throws Broken for a gradient that is not finite, or that differs
void require_slope(const Slope& slope);

}  // namespace dlrun::train::contracts
