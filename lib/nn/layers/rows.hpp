// SPDX-License-Identifier: Apache-2.0
// A series [B, C, L] as an image of one row [B, C, 1, L], for kernels that are written for images.
#pragma once
#include "nn/layer.hpp"

namespace dlrun::nn {

/// Number of directions that the node's input has after its channels.
inline std::size_t directions(const Scope& scope) { return scope.node().in[0].size() - 1; }

inline at::Tensor as_image(const at::Tensor& x) { return x.dim() == 3 ? x.unsqueeze(2) : x; }
/// Takes the row away again where `model` is a series.
inline at::Tensor like(const at::Tensor& model, const at::Tensor& image) {
  return model.dim() == 3 ? image.squeeze(2) : image;
}

/// An attribute [vertical, horizontal]; `row` is what a series has vertically.
inline std::vector<std::int64_t> planar(const Scope& scope, const char* key, std::int64_t row) {
  if (directions(scope) == 2) return scope.sizes(key, 2);
  return {row, scope.sizes(key, 1)[0]};
}

}  // namespace dlrun::nn
