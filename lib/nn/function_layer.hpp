// SPDX-License-Identifier: Apache-2.0
// A layer that is one function of one input and has no tensors.
#pragma once
#include <functional>

#include "nn/autograd_layer.hpp"

namespace dlrun::nn {

class FunctionLayer final : public AutogradLayer {
 public:
  using Function = std::function<at::Tensor(const at::Tensor& x)>;
  FunctionLayer(const Scope& scope, Function function) : AutogradLayer(scope), function_(std::move(function)) {}

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors&, const Pass&) override {
    return function_(inputs[0]);
  }

  Function function_;
};

inline std::unique_ptr<Layer> make_function(const Scope& scope, FunctionLayer::Function function) {
  return std::make_unique<FunctionLayer>(scope, std::move(function));
}

}  // namespace dlrun::nn
