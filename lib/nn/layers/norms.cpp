// SPDX-License-Identifier: Apache-2.0
// groupnorm, instancenorm and rmsnorm as torch.nn.GroupNorm, InstanceNorm1d … 3d and RMSNorm.
#include <ATen/ops/group_norm.h>
#include <ATen/ops/instance_norm.h>
#include <ATen/ops/rms_norm.h>

#include "nn/autograd_layer.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

/// Scale 1 and shift 0; running mean 0 and variance 1.
class Norm : public AutogradLayer {
 public:
  explicit Norm(const Scope& scope) : AutogradLayer(scope), eps_(scope.number("eps")) {}

  void initialise(const Streams&) override {
    for (const char* one : {"weight", "running_var"}) fill(one, 1);
    for (const char* zero : {"bias", "running_mean"}) fill(zero, 0);
  }

 protected:
  double eps() const { return eps_; }

 private:
  void fill(const char* local, double value) {
    if (const Parameter* found = find(local)) found->value.fill_(value);
  }

  double eps_;
};

class GroupNorm final : public Norm {
 public:
  explicit GroupNorm(const Scope& scope) : Norm(scope), groups_(scope.integer("groups")) {}

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::group_norm(inputs[0], groups_, tensors.optional("weight"), tensors.optional("bias"), eps());
  }

  std::int64_t groups_;
};

class InstanceNorm final : public Norm {
 public:
  explicit InstanceNorm(const Scope& scope) : Norm(scope), momentum_(scope.number("momentum")) {}

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    const bool uses_batch = pass.training || !tensors["running_mean"].defined();
    return at::instance_norm(inputs[0], tensors.optional("weight"), tensors.optional("bias"),
                             tensors.optional("running_mean"), tensors.optional("running_var"), uses_batch, momentum_,
                             eps(), false);
  }

  double momentum_;
};

class RmsNorm final : public Norm {
 public:
  explicit RmsNorm(const Scope& scope) : Norm(scope), shape_(scope.node().attributes.at("shape").get<model::Shape>()) {}

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::rms_norm(inputs[0], shape_, tensors.optional("weight"), eps());
  }

  model::Shape shape_;
};

}  // namespace

std::unique_ptr<Layer> make_groupnorm(const Scope& scope) { return std::make_unique<GroupNorm>(scope); }
std::unique_ptr<Layer> make_instancenorm(const Scope& scope) { return std::make_unique<InstanceNorm>(scope); }
std::unique_ptr<Layer> make_rmsnorm(const Scope& scope) { return std::make_unique<RmsNorm>(scope); }

}  // namespace dlrun::nn
