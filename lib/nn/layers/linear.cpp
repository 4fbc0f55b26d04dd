// SPDX-License-Identifier: Apache-2.0
// linear: y = x W^T + b over the last size, weight [out, in], bias [out].
#include <ATen/ops/addmm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>

#include "nn/autograd_layer.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class Linear final : public UnaryLayer {
 public:
  explicit Linear(const Scope& scope) : weight_(scope.tensor("weight")), weight_t_(weight_.value.t()) {
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
  }

  void initialise(const Streams& streams) override {
    init_affine(weight_, bias_.value.defined() ? &bias_ : nullptr, weight_.value.size(1), streams);
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor rows = as_rows(x, weight_.value.size(1));
    if (pass.training) rows_ = rows;
    at::Tensor y = bias_.value.defined() ? at::addmm(bias_.value, rows, weight_t_) : at::mm(rows, weight_t_);
    return x.dim() == 2 ? y : y.view({x.size(0), x.size(1), weight_.value.size(0)});
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    const at::Tensor rows = as_rows(grad, weight_.value.size(0));
    at::mm_out(weight_.grad, rows.t(), rows_);
    if (bias_.grad.defined()) at::sum_out(bias_.grad, rows, {0});
    rows_.reset();
    if (!wanted) return {};
    at::Tensor in = at::mm(rows, weight_.value);
    return grad.dim() == 2 ? in : in.view({grad.size(0), grad.size(1), weight_.value.size(1)});
  }

 private:
  static at::Tensor as_rows(const at::Tensor& x, std::int64_t width) {
    return x.dim() == 2 ? x : x.reshape({-1, width});
  }

  Parameter weight_, bias_;
  at::Tensor weight_t_;
  at::Tensor rows_;  ///< the input as [rows, in]
};

/// Linear layer in types that autocast chooses.
class MixedLinear final : public AutogradLayer {
 public:
  using AutogradLayer::AutogradLayer;

  void initialise(const Streams& streams) override {
    init_affine(parameter("weight"), find("bias"), parameter("weight").value.size(1), streams);
  }

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::linear(inputs[0], tensors["weight"], tensors.optional("bias"));
  }
};

}  // namespace

std::unique_ptr<Layer> make_linear(const Scope& scope) { return std::make_unique<Linear>(scope); }
std::unique_ptr<Layer> make_mixed_linear(const Scope& scope) { return std::make_unique<MixedLinear>(scope); }

}  // namespace dlrun::nn
