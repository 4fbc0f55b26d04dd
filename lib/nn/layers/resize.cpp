// SPDX-License-Identifier: Apache-2.0
// upsample, pixel_shuffle, pixel_unshuffle and pad: other sizes, nothing learned.
#include <ATen/ops/pad.h>
#include <ATen/ops/pixel_shuffle.h>
#include <ATen/ops/pixel_unshuffle.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_linear1d.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/upsample_nearest3d.h>
#include <ATen/ops/upsample_trilinear3d.h>

#include "nn/function_layer.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

using T = at::Tensor;
using Sizes = std::vector<std::int64_t>;

constexpr std::optional<at::ArrayRef<double>> kBySize;

T nearest(const T& x, const Sizes& size) {
  if (size.size() == 1) return at::upsample_nearest1d(x, size, kBySize);
  if (size.size() == 2) return at::upsample_nearest2d(x, size, kBySize);
  return at::upsample_nearest3d(x, size, kBySize);
}

T upsampled(const T& x, const Sizes& size, const std::string& mode, bool align) {
  if (mode == "nearest") return nearest(x, size);
  if (mode == "bicubic") return at::upsample_bicubic2d(x, size, align, kBySize);
  if (size.size() == 1) return at::upsample_linear1d(x, size, align, kBySize);
  if (size.size() == 2) return at::upsample_bilinear2d(x, size, align, kBySize);
  return at::upsample_trilinear3d(x, size, align, kBySize);
}

}  // namespace

std::unique_ptr<Layer> make_upsample(const Scope& scope) {
  const Sizes size(scope.node().out.begin() + 1, scope.node().out.end());
  const std::string mode = scope.text("mode");
  const bool align = scope.boolean("align_corners");
  return make_function(scope, [=](const T& x) { return upsampled(x, size, mode, align); });
}

std::unique_ptr<Layer> make_pixel_shuffle(const Scope& scope) {
  const std::int64_t factor = scope.integer("factor");
  return make_function(scope, [=](const T& x) { return at::pixel_shuffle(x, factor); });
}

std::unique_ptr<Layer> make_pixel_unshuffle(const Scope& scope) {
  const std::int64_t factor = scope.integer("factor");
  return make_function(scope, [=](const T& x) { return at::pixel_unshuffle(x, factor); });
}

std::unique_ptr<Layer> make_pad(const Scope& scope) {
  const Sizes pad = scope.sizes("pad", 2 * (scope.node().out.size() - 1));
  const std::string mode = scope.text("mode");
  const std::optional<double> value = mode == "constant" ? std::optional<double>(scope.number("value")) : std::nullopt;
  return make_function(scope, [=](const T& x) { return at::pad(x, pad, mode, value); });
}

}  // namespace dlrun::nn
