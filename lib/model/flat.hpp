// SPDX-License-Identifier: Apache-2.0
// Places of trainable tensors in a flat buffer, one after the other in the order of the graph (nn::Parameters).
#pragma once
#include "model/graph.hpp"

namespace dlrun::model {

/// Every tensor begins at a multiple of so many float32 numbers, 64 bytes: BLAS picks its path by alignment, and equal
/// paths give equal bits.
inline constexpr std::int64_t kAlignment = 16;

inline std::int64_t numel(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

/// Numbers from the begin of a tensor to that of the next.
inline std::int64_t padded(std::int64_t count) { return (count + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace dlrun::model
