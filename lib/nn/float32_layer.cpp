// SPDX-License-Identifier: Apache-2.0
#include "nn/float32_layer.hpp"

#include <optional>

namespace dlrun::nn {

namespace {

/// Widest of the types that hold numbers; float32 where none does.
at::ScalarType widest(const std::vector<at::ScalarType>& types) {
  std::optional<at::ScalarType> found;
  for (const at::ScalarType type : types) {
    if (at::isFloatingType(type)) found = found ? at::promoteTypes(*found, type) : type;
  }
  return found.value_or(at::kFloat);
}

}  // namespace

at::Tensor Float32Layer::forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) {
  std::vector<at::Tensor> given;
  types_.clear();
  for (const at::Tensor& input : inputs) {
    types_.push_back(input.scalar_type());
    given.push_back(input.is_floating_point() ? input.to(at::kFloat) : input);
  }
  return layer_->forward(given, pass).to(widest(types_));
}

std::vector<at::Tensor> Float32Layer::backward(const at::Tensor& grad, const std::vector<bool>& wanted) {
  std::vector<at::Tensor> grads = layer_->backward(grad.to(at::kFloat), wanted);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined()) grads[i] = grads[i].to(types_[i]);
  }
  return grads;
}

}  // namespace dlrun::nn
