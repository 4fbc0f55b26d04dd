// SPDX-License-Identifier: Apache-2.0
// sequence_pool: mean, maximum, first or last position of a sequence, of its real positions where it has a mask.
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/max.h>

#include "nn/autograd_layer.hpp"
#include "nn/layers/layers.hpp"
#include "nn/sequences.hpp"

namespace dlrun::nn {

namespace {

class SequencePool final : public AutogradLayer {
 public:
  explicit SequencePool(const Scope& scope) : AutogradLayer(scope), mode_(scope.text("mode")) {}

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors&, const Pass&) override {
    const at::Tensor& x = inputs[0];
    if (mode_ == "first") return x.select(1, 0).contiguous();
    return inputs.size() > 1 ? pool(x, real_positions(inputs[1].detach())) : pool(x);
  }

 private:
  at::Tensor pool(const at::Tensor& x) const {
    if (mode_ == "last") return x.select(1, x.size(1) - 1).contiguous();
    return mode_ == "max" ? std::get<0>(at::max(x, 1)) : x.mean(1);
  }

  /// @param real  [B, L] bool
  at::Tensor pool(const at::Tensor& x, const at::Tensor& real) const {
    if (mode_ == "last") return pick_positions(x, last_positions(real));
    const at::Tensor padded = at::logical_not(real).unsqueeze(2);
    if (mode_ == "max") {
      return std::get<0>(at::max(x.masked_fill(padded, -std::numeric_limits<double>::infinity()), 1));
    }
    return x.masked_fill(padded, 0).sum(1) / real.sum(1, true);
  }

  std::string mode_;
};

}  // namespace

std::unique_ptr<Layer> make_sequence_pool(const Scope& scope) { return std::make_unique<SequencePool>(scope); }

}  // namespace dlrun::nn
