// SPDX-License-Identifier: Apache-2.0
// avgpool and adaptive_avgpool: of images written by hand, of series as images of one row; of volumes by autograd.
#include <ATen/ops/_adaptive_avg_pool2d.h>
#include <ATen/ops/_adaptive_avg_pool2d_backward.h>
#include <ATen/ops/adaptive_avg_pool3d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool2d_backward.h>
#include <ATen/ops/avg_pool3d.h>

#include "nn/function_layer.hpp"
#include "nn/layers/layers.hpp"
#include "nn/layers/rows.hpp"

namespace dlrun::nn {

namespace {

using Sizes = std::vector<std::int64_t>;

class AvgPool final : public UnaryLayer {
 public:
  explicit AvgPool(const Scope& scope)
      : k_(planar(scope, "k", 1)),
        stride_(planar(scope, "stride", 1)),
        pad_(planar(scope, "pad", 0)),
        ceil_(scope.boolean("ceil_mode")),
        counts_pad_(scope.boolean("count_include_pad")) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor image = as_image(x);
    if (pass.training) x_ = image;
    return like(x, at::avg_pool2d(image, k_, stride_, pad_, ceil_, counts_pad_, std::nullopt));
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    return like(grad, at::avg_pool2d_backward(as_image(grad), x_, k_, stride_, pad_, ceil_, counts_pad_, std::nullopt));
  }

 private:
  Sizes k_, stride_, pad_;
  bool ceil_, counts_pad_;
  at::Tensor x_;
};

/// Mean of each channel. PyTorch's own adaptive pool adds in any order on a GPU.
class GlobalAvgPool final : public UnaryLayer {
 public:
  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    if (pass.training) sizes_ = x.sizes().vec();
    const at::Tensor image = as_image(x);
    return like(x, image.mean({2, 3}, /*keepdim=*/true));
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    std::int64_t positions = 1;
    for (std::size_t i = 2; i < sizes_.size(); ++i) positions *= sizes_[i];
    return grad.div(double(positions)).expand(sizes_).contiguous();
  }

 private:
  Sizes sizes_;
};

class AdaptiveAvgPool final : public UnaryLayer {
 public:
  explicit AdaptiveAvgPool(const Scope& scope) : out_(planar(scope, "out", 1)) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor image = as_image(x);
    if (pass.training) x_ = image;
    return like(x, at::_adaptive_avg_pool2d(image, out_));
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    return wanted ? like(grad, at::_adaptive_avg_pool2d_backward(as_image(grad), x_)) : at::Tensor();
  }

 private:
  Sizes out_;
  at::Tensor x_;
};

std::unique_ptr<Layer> make_avgpool3d(const Scope& scope) {
  const Sizes k = scope.sizes("k", 3), stride = scope.sizes("stride", 3), pad = scope.sizes("pad", 3);
  const bool ceil = scope.boolean("ceil_mode"), counts_pad = scope.boolean("count_include_pad");
  return make_function(scope, [=](const at::Tensor& x) { return at::avg_pool3d(x, k, stride, pad, ceil, counts_pad); });
}

}  // namespace

std::unique_ptr<Layer> make_avgpool(const Scope& scope) {
  if (directions(scope) == 3) return make_avgpool3d(scope);
  return std::make_unique<AvgPool>(scope);
}

std::unique_ptr<Layer> make_adaptive_avgpool(const Scope& scope) {
  if (!scope.is_on_cpu() && directions(scope) < 3 && planar(scope, "out", 1) == Sizes{1, 1})
    return std::make_unique<GlobalAvgPool>();
  if (directions(scope) < 3) return std::make_unique<AdaptiveAvgPool>(scope);
  const Sizes out = scope.sizes("out", 3);
  return make_function(scope, [=](const at::Tensor& x) { return at::adaptive_avg_pool3d(x, out); });
}

}  // namespace dlrun::nn
