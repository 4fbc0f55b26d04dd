// SPDX-License-Identifier: Apache-2.0
// batchnorm: per channel to mean 0 and variance 1 over batch and positions; running statistics for evaluation.
#include <algorithm>

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>

#include "nn/autograd_layer.hpp"
#include "nn/layers/layers.hpp"
#include "nn/optional.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

/// The batch's share of the running statistics. @param counter  of batches; may be undefined
double share_of_batch(const at::Tensor& counter, double momentum, const Pass& pass) {
  if (!pass.counts_statistics || !counter.defined()) return momentum;
  return 1.0 / double(std::max<std::int64_t>(1, *counter.const_data_ptr<std::int64_t>()));
}

void count(const at::Tensor& counter) {
  if (counter.defined()) ++*counter.mutable_data_ptr<std::int64_t>();
}

class BatchNorm final : public UnaryLayer {
 public:
  explicit BatchNorm(const Scope& scope)
      : name_(scope.node().name),
        mean_(scope.tensor("running_mean").value),
        variance_(scope.tensor("running_var").value),
        momentum_(scope.number("momentum")),
        eps_(scope.number("eps")) {
    if (const Parameter* weight = scope.find("weight")) weight_ = *weight;
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
    if (const Parameter* counter = scope.find("num_batches_tracked")) counter_ = counter->value;
  }

  void initialise(const Streams&) override {
    mean_.zero_();
    variance_.fill_(1);
    if (weight_.value.defined()) weight_.value.fill_(1);
    if (bias_.value.defined()) bias_.value.zero_();
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    if (pass.training) require_variance(x);
    if (pass.training) count(counter_);
    auto [y, mean, inverse] = at::native_batch_norm(x, optional(weight_.value), optional(bias_.value), mean_, variance_,
                                                    pass.training, share_of_batch(counter_, momentum_, pass), eps_);
    if (pass.training) {
      x_ = x;
      batch_mean_ = mean;
      batch_inverse_ = inverse;
    }
    return y;
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    auto [in, weight, bias] =
        at::native_batch_norm_backward(grad, x_, optional(weight_.value), mean_, variance_, batch_mean_, batch_inverse_,
                                       true, eps_, {wanted, weight_.grad.defined(), bias_.grad.defined()});
    x_.reset();
    if (weight_.grad.defined()) weight_.grad.copy_(weight);
    if (bias_.grad.defined()) bias_.grad.copy_(bias);
    return in;
  }

 private:
  /// @param x  [B, C, ...]
  void require_variance(const at::Tensor& x) const {
    if (x.numel() > x.size(1)) return;
    throw Error(ErrorKind::usage,
                "layer '" + name_ + "': a batch of one example has one value of each channel, which has no variance",
                "take a greater batch_size, or layernorm in place of batchnorm");
  }

  std::string name_;
  Parameter weight_, bias_;
  at::Tensor mean_, variance_, counter_;
  double momentum_, eps_;
  at::Tensor x_, batch_mean_, batch_inverse_;
};

/// Batch norm by the fastest kernel there is, cuDNN's on a GPU, and of inputs in 16 bits without copies in float32.
class BatchNormElsewhere final : public AutogradLayer {
 public:
  explicit BatchNormElsewhere(const Scope& scope)
      : AutogradLayer(scope), momentum_(scope.number("momentum")), eps_(scope.number("eps")) {}

  void initialise(const Streams&) override {
    fill("running_mean", 0);
    fill("running_var", 1);
    fill("weight", 1);
    fill("bias", 0);
  }

 private:
  void fill(const char* name, double number) {
    const Parameter* tensor = find(name);
    if (tensor == nullptr) return;
    at::Tensor value = tensor->value;
    value.fill_(number);
  }

  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    const at::Tensor& counter = tensors["num_batches_tracked"];
    if (pass.training) count(counter);
    return at::batch_norm(inputs[0], tensors.optional("weight"), tensors.optional("bias"),
                          tensors.optional("running_mean"), tensors.optional("running_var"), pass.training,
                          share_of_batch(counter, momentum_, pass), eps_, /*cudnn_enabled=*/true);
  }

  double momentum_, eps_;
};

}  // namespace

std::unique_ptr<Layer> make_batchnorm(const Scope& scope) {
  if (!scope.is_on_cpu()) return std::make_unique<BatchNormElsewhere>(scope);
  return std::make_unique<BatchNorm>(scope);
}

}  // namespace dlrun::nn
