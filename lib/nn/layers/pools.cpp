// SPDX-License-Identifier: Apache-2.0
// Max pools that are not written by hand: of volumes, with holes, adaptive.
#include <ATen/ops/adaptive_max_pool1d.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <ATen/ops/adaptive_max_pool3d.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>

#include "nn/function_layer.hpp"
#include "nn/layers/layers.hpp"
#include "nn/layers/rows.hpp"

namespace dlrun::nn {

using T = at::Tensor;

std::unique_ptr<Layer> make_any_maxpool(const Scope& scope) {
  const std::size_t count = directions(scope);
  const std::vector<std::int64_t> k = scope.sizes("k", count), stride = scope.sizes("stride", count),
                                  pad = scope.sizes("pad", count), dilation = scope.sizes("dilation", count);
  const bool ceil = scope.boolean("ceil_mode");
  return make_function(scope, [=](const T& x) {
    if (count == 1) return at::max_pool1d(x, k, stride, pad, dilation, ceil);
    if (count == 2) return at::max_pool2d(x, k, stride, pad, dilation, ceil);
    return at::max_pool3d(x, k, stride, pad, dilation, ceil);
  });
}

std::unique_ptr<Layer> make_adaptive_maxpool(const Scope& scope) {
  const std::size_t count = directions(scope);
  const std::vector<std::int64_t> out = scope.sizes("out", count);
  return make_function(scope, [=](const T& x) {
    if (count == 1) return std::get<0>(at::adaptive_max_pool1d(x, out));
    if (count == 2) return std::get<0>(at::adaptive_max_pool2d(x, out));
    return std::get<0>(at::adaptive_max_pool3d(x, out));
  });
}

}  // namespace dlrun::nn
