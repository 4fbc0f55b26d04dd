// SPDX-License-Identifier: Apache-2.0
// Rotary positions (Su et al. 2021, arXiv:2104.09864): the product of a query and a key depends on the distance of
// their positions.
#pragma once
#include <ATen/core/Tensor.h>

namespace dlrun::nn {

/// Turns the numbers 2i and 2i + 1 of position p by p * base^(-2i / d), computed in float32 at least.
class Rotation {
 public:
  /// @param like  [B, heads, L, d], d even: queries or keys, whose positions are the same
  Rotation(const at::Tensor& like, double base);
  /// @param x  of the shape of `like`    @return  the same shape and type
  at::Tensor apply(const at::Tensor& x) const;

 private:
  at::Tensor cos_, sin_;  ///< [L, d / 2]
};

}  // namespace dlrun::nn
