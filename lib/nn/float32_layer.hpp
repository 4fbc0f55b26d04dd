// SPDX-License-Identifier: Apache-2.0
// A layer that is written for float32 among others that are not.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// Hands its inputs on as float32 and rounds what comes out to the widest type it read; gradients likewise, the other
/// way. Of an element-wise function or a maximum that is what the same kernel in 16 bits gives, to its last bit.
class Float32Layer final : public Layer {
 public:
  explicit Float32Layer(std::unique_ptr<Layer> layer) : layer_(std::move(layer)) {}

  void initialise(const Streams& streams) override { layer_->initialise(streams); }
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) override;
  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) override;

 private:
  std::unique_ptr<Layer> layer_;
  std::vector<at::ScalarType> types_;  ///< types of the inputs
};

}  // namespace dlrun::nn
