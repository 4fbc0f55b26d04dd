// SPDX-License-Identifier: Apache-2.0
// Layers that multiply their input by something learned or fixed: scale, prelu, squeeze_excitation.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/prelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>

#include "nn/function_layer.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class Scale final : public AutogradLayer {
 public:
  explicit Scale(const Scope& scope)
      : AutogradLayer(scope), first_(scope.number("factor")), sizes_(scope.node().out.size() + 1, 1) {
    if (scope.has("dim")) sizes_[std::size_t(scope.integer("dim")) + 1] = -1;
  }

  void initialise(const Streams&) override { parameter("weight").value.fill_(first_); }

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::mul(inputs[0], tensors["weight"].reshape(sizes_));
  }

  double first_;
  std::vector<std::int64_t> sizes_;  ///< the weight's, with the batch, so that it meets its dim
};

class Prelu final : public AutogradLayer {
 public:
  explicit Prelu(const Scope& scope) : AutogradLayer(scope), first_(scope.number("init")) {}
  void initialise(const Streams&) override { parameter("weight").value.fill_(first_); }

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::prelu(inputs[0], tensors["weight"]);
  }

  double first_;
};

class SqueezeExcitation final : public AutogradLayer {
 public:
  explicit SqueezeExcitation(const Scope& scope)
      : AutogradLayer(scope),
        is_silu_(scope.text("activation") == "silu"),
        is_hard_(scope.text("gate") == "hardsigmoid") {}

  void initialise(const Streams& streams) override {
    for (const std::string name : {"fc1", "fc2"}) {
      const Parameter& weight = parameter(name + ".weight");
      init_affine(weight, &parameter(name + ".bias"), weight.value.size(1), streams);
    }
  }

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    const at::Tensor mean = at::adaptive_avg_pool2d(inputs[0], {1, 1});
    const at::Tensor squeezed = at::conv2d(mean, tensors["fc1.weight"], tensors["fc1.bias"]);
    const at::Tensor active = is_silu_ ? at::silu(squeezed) : at::relu(squeezed);
    const at::Tensor gate = at::conv2d(active, tensors["fc2.weight"], tensors["fc2.bias"]);
    return at::mul(is_hard_ ? at::hardsigmoid(gate) : at::sigmoid(gate), inputs[0]);
  }

  bool is_silu_, is_hard_;
};

}  // namespace

std::unique_ptr<Layer> make_scale(const Scope& scope) {
  if (scope.find("weight")) return std::make_unique<Scale>(scope);
  const double factor = scope.number("factor");
  return make_function(scope, [=](const at::Tensor& x) { return at::mul(x, factor); });
}

std::unique_ptr<Layer> make_prelu(const Scope& scope) { return std::make_unique<Prelu>(scope); }
std::unique_ptr<Layer> make_squeeze_excitation(const Scope& scope) {
  return std::make_unique<SqueezeExcitation>(scope);
}

}  // namespace dlrun::nn
