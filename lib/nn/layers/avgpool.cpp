// SPDX-License-Identifier: Apache-2.0
// avgpool (padding counts as zeros) and adaptive_avgpool over [C, H, W].
#include <ATen/ops/_adaptive_avg_pool2d.h>
#include <ATen/ops/_adaptive_avg_pool2d_backward.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool2d_backward.h>

#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

struct Window {
  explicit Window(const Scope& scope)
      : k(scope.pair("k", 2)), stride(scope.pair("stride", 0)), pad(scope.pair("pad", 0)) {
    if (stride[0] == 0) stride = k;
  }
  std::vector<std::int64_t> k, stride, pad;
};

class AvgPool final : public UnaryLayer {
 public:
  explicit AvgPool(const Scope& scope) : window_(scope) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    if (pass.training) x_ = x;
    return at::avg_pool2d(x, window_.k, window_.stride, window_.pad, false, true, std::nullopt);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    return at::avg_pool2d_backward(grad, x_, window_.k, window_.stride, window_.pad, false, true, std::nullopt);
  }

 private:
  Window window_;
  at::Tensor x_;
};

class AdaptiveAvgPool final : public UnaryLayer {
 public:
  explicit AdaptiveAvgPool(const Scope& scope) : out_(scope.pair("out", 1)) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    if (pass.training) x_ = x;
    return at::_adaptive_avg_pool2d(x, out_);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    return wanted ? at::_adaptive_avg_pool2d_backward(grad, x_) : at::Tensor();
  }

 private:
  std::vector<std::int64_t> out_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Layer> make_avgpool(const Scope& scope) { return std::make_unique<AvgPool>(scope); }
std::unique_ptr<Layer> make_adaptive_avgpool(const Scope& scope) { return std::make_unique<AdaptiveAvgPool>(scope); }

}  // namespace dlrun::nn
