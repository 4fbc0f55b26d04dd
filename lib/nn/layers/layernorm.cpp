// SPDX-License-Identifier: Apache-2.0
// layernorm: each example to mean 0 and variance 1 over the trailing sizes `shape`.
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>

#include "nn/layers/layers.hpp"
#include "nn/optional.hpp"

namespace dlrun::nn {

namespace {

std::vector<std::int64_t> normalised_shape(const model::Node& node) {
  const auto found = node.attributes.find("shape");
  return found != node.attributes.end() ? found->get<model::Shape>() : model::Shape{node.in[0].back()};
}

class LayerNorm final : public UnaryLayer {
 public:
  explicit LayerNorm(const Scope& scope) : shape_(normalised_shape(scope.node())), eps_(scope.number("eps")) {
    if (const Parameter* weight = scope.find("weight")) weight_ = *weight;
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
  }

  void initialise(const Streams&) override {
    if (weight_.value.defined()) weight_.value.fill_(1);
    if (bias_.value.defined()) bias_.value.zero_();
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    auto [y, mean, inverse] = at::native_layer_norm(x, shape_, optional(weight_.value), optional(bias_.value), eps_);
    if (pass.training) {
      x_ = x;
      mean_ = mean;
      inverse_ = inverse;
    }
    return y;
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    auto [in, weight, bias] =
        at::native_layer_norm_backward(grad.contiguous(), x_, shape_, mean_, inverse_, optional(weight_.value),
                                       optional(bias_.value), {wanted, weight_.grad.defined(), bias_.grad.defined()});
    x_.reset();
    if (weight_.grad.defined()) weight_.grad.copy_(weight);
    if (bias_.grad.defined()) bias_.grad.copy_(bias);
    return in;
  }

 private:
  Parameter weight_, bias_;
  std::vector<std::int64_t> shape_;
  double eps_;
  at::Tensor x_, mean_, inverse_;
};

}  // namespace

std::unique_ptr<Layer> make_layernorm(const Scope& scope) { return std::make_unique<LayerNorm>(scope); }

}  // namespace dlrun::nn
