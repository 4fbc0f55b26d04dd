// SPDX-License-Identifier: Apache-2.0
// maxpool over [C, H, W] and [C, L]: the greatest value of each window, the first of equals, a NaN above all; padding
// is minus infinity. Values and places are those of at::max_pool2d_with_indices, whose scalar loop took a fifth of a
// LeNet step; this one goes along a row of outputs, so that the compiler makes vectors of it.
#include <algorithm>
#include <limits>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "nn/layers/layers.hpp"
#include "nn/layers/rows.hpp"
#include "util/clones.hpp"

namespace dlrun::nn {

namespace {

/// Sizes of one plane; [0] vertical, [1] horizontal.
struct Geometry {
  std::int64_t in[2], out[2], k[2], stride[2], pad[2];
};

/// One place of the window for the outputs first … last - 1 of a row. `x` is the input's value for output 0.
template <int kStride>
[[gnu::always_inline]] inline void take_greater(const float* __restrict x, std::int32_t place, std::int64_t stride,
                                                std::int64_t first, std::int64_t last, float* __restrict best,
                                                std::int32_t* __restrict places) {
  const std::int64_t s = kStride > 0 ? kStride : stride;
  for (std::int64_t o = first; o < last; ++o) {
    const float value = x[o * s];
    const bool is_better = (value > best[o]) | (value != value);  // a NaN, and nothing after it
    best[o] = is_better ? value : best[o];
    places[o] = is_better ? place + std::int32_t(o * s) : places[o];
  }
}

/// Outputs whose window, moved by `offset`, lies within [0, size).
std::pair<std::int64_t, std::int64_t> inside(std::int64_t offset, std::int64_t size, std::int64_t stride,
                                             std::int64_t count) {
  const std::int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  const std::int64_t last = size > offset ? (size - offset - 1) / stride + 1 : 0;
  return {std::min(first, count), std::min(last, count)};
}

DLRUN_CLONES void pool_plane(const float* __restrict x, const Geometry& g, float* __restrict best,
                             std::int32_t* __restrict places) {
  for (std::int64_t row = 0; row < g.out[0]; ++row, best += g.out[1], places += g.out[1]) {
    const std::int64_t top = row * g.stride[0] - g.pad[0];
    std::fill_n(best, g.out[1], -std::numeric_limits<float>::infinity());
    for (std::int64_t o = 0; o < g.out[1]; ++o) {
      const std::int64_t left = std::max<std::int64_t>(0, o * g.stride[1] - g.pad[1]);
      places[o] = std::int32_t(std::max<std::int64_t>(0, top) * g.in[1] + left);
    }
    for (std::int64_t y = std::max<std::int64_t>(0, top); y < std::min(top + g.k[0], g.in[0]); ++y) {
      for (std::int64_t k = 0; k < g.k[1]; ++k) {
        const std::int64_t offset = k - g.pad[1], begin = y * g.in[1] + offset;
        const auto [first, last] = inside(offset, g.in[1], g.stride[1], g.out[1]);
        if (g.stride[1] == 2) {
          take_greater<2>(x + begin, std::int32_t(begin), 2, first, last, best, places);
        } else {
          take_greater<0>(x + begin, std::int32_t(begin), g.stride[1], first, last, best, places);
        }
      }
    }
  }
}

class MaxPool final : public UnaryLayer {
 public:
  explicit MaxPool(const Scope& scope) {
    const std::vector<std::int64_t> k = planar(scope, "k", 1), stride = planar(scope, "stride", 1),
                                    pad = planar(scope, "pad", 0);
    const model::Shape &in = scope.node().in[0], &out = scope.node().out;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const bool is_row = axis == 0 && in.size() == 2;
      geometry_.in[axis] = is_row ? 1 : in[in.size() - 2 + axis];
      geometry_.out[axis] = is_row ? 1 : out[out.size() - 2 + axis];
      geometry_.k[axis] = k[axis];
      geometry_.stride[axis] = stride[axis];
      geometry_.pad[axis] = pad[axis];
    }
  }

  at::Tensor forward(const at::Tensor& input, const Pass&) override {
    const at::Tensor x = as_image(input).contiguous();
    at::Tensor y = at::empty({x.size(0), x.size(1), geometry_.out[0], geometry_.out[1]}, x.options());
    places_.resize(std::size_t(y.numel()));
    const std::int64_t in = geometry_.in[0] * geometry_.in[1], out = geometry_.out[0] * geometry_.out[1];
    for (std::int64_t plane = 0; plane < x.size(0) * x.size(1); ++plane) {
      pool_plane(x.const_data_ptr<float>() + plane * in, geometry_, y.mutable_data_ptr<float>() + plane * out,
                 places_.data() + plane * out);
    }
    return like(input, y);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    const at::Tensor dense = grad.contiguous();
    at::Tensor result = at::zeros({grad.size(0), grad.size(1), geometry_.in[0], geometry_.in[1]}, grad.options());
    const std::int64_t in = geometry_.in[0] * geometry_.in[1], out = geometry_.out[0] * geometry_.out[1];
    const float* from = dense.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    const std::int32_t* place = places_.data();
    for (std::int64_t plane = 0; plane < grad.size(0) * grad.size(1); ++plane, to += in) {
      for (std::int64_t o = 0; o < out; ++o) to[*place++] += *from++;
    }
    return like(grad, result);
  }

 private:
  Geometry geometry_{};
  std::vector<std::int32_t> places_;  ///< place of each output's value, within its plane
};

}  // namespace

std::unique_ptr<Layer> make_maxpool(const Scope& scope) {
  const std::vector<std::int64_t> dilation = scope.sizes("dilation", directions(scope));
  const bool is_dense = std::all_of(dilation.begin(), dilation.end(), [](std::int64_t d) { return d == 1; });
  if (!scope.is_on_cpu() || directions(scope) == 3 || !is_dense) return make_any_maxpool(scope);
  return std::make_unique<MaxPool>(scope);
}

}  // namespace dlrun::nn
