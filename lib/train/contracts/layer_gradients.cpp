// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/layer_gradients.hpp"

#include <fmt/format.h>

#include "train/contracts/draws.hpp"
#include "train/contracts/slope.hpp"

namespace dlrun::train::contracts {

namespace {

/// A layer at one point of its inputs and tensors, with a weighted sum of its output as the function.
class LayerSlopes {
 public:
  LayerSlopes(const LayerCase& at, const Inputs& inputs, const nn::Pass& pass)
      : layer_(at), inputs_(inputs), pass_(pass) {
    layer_.stir();
    tensors_ = layer_.tensors();
    const at::Tensor out = layer_.forward(inputs_, pass_);
    weights_ = drawn(out.sizes().vec(), "weights");
    gradients_ = layer_.backward(weights_);
    for (const nn::Parameter& one : layer_.parameters())
      own_gradients_.push_back(one.trainable ? one.grad.clone() : at::Tensor());
  }

  int compare_inputs() {
    int compared = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].is_floating_point()) continue;
      compare(fmt::format("input {}", i + 1), inputs_, i, gradients_[i]);
      ++compared;
    }
    return compared;
  }

  int compare_tensors() {
    int compared = 0;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!own_gradients_[i].defined()) continue;
      compare(fmt::format("tensor '{}'", local_name(layer_.parameters()[i])), tensors_, i, own_gradients_[i]);
      ++compared;
    }
    return compared;
  }

 private:
  /// @param group  of `inputs_` or `tensors_`; its member `i` is moved and put back
  void compare(const std::string& name, std::vector<at::Tensor>& group, std::size_t i, const at::Tensor& gradient) {
    const at::Tensor point = group[i];
    const auto value = [&](const at::Tensor& moved) {
      group[i] = moved;
      layer_.set(tensors_);
      const Summed sum = summed(layer_.forward(inputs_, pass_), weights_);
      group[i] = point;
      return sum;
    };
    require_slope({fmt::format("{} at {}", name, layer_.at().text), point, gradient, value});
  }

  TestedLayer layer_;
  Inputs inputs_;
  nn::Pass pass_;
  std::vector<at::Tensor> tensors_;
  at::Tensor weights_;
  std::vector<at::Tensor> gradients_, own_gradients_;
};

}  // namespace

int compare_gradients(const LayerCase& at, const Inputs& inputs, const nn::Pass& pass) {
  LayerSlopes slopes(at, inputs, pass);
  const int compared = slopes.compare_inputs();
  return compared + slopes.compare_tensors();
}

}  // namespace dlrun::train::contracts
