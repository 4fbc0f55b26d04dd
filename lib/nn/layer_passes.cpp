// SPDX-License-Identifier: Apache-2.0
#include "nn/layer_passes.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include <numeric>

namespace dlrun::nn {

LayerPasses::LayerPasses(const std::vector<GraphStep>& steps, std::size_t inputs)
    : steps_(steps), inputs_(inputs), readings_(steps.size()), leaving_(steps.size()) {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    for (std::size_t k = 0; k < steps_[i].inputs.size(); ++k) {
      if (steps_[i].inputs[k] >= inputs_) readings_[steps_[i].inputs[k] - inputs_].push_back({i, k});
    }
  }
}

TaskLists LayerPasses::producers() const {
  TaskLists all(layers());
  for (std::size_t i = 0; i < layers(); ++i) {
    for (const std::size_t slot : steps_[i].inputs) {
      if (slot >= inputs_) all[i].push_back(slot - inputs_);
    }
    if (steps_[i].behind) all[i].push_back(*steps_[i].behind);
  }
  return all;
}

std::vector<std::size_t> LayerPasses::last_writers() const {
  std::vector<std::size_t> last(layers());
  std::iota(last.begin(), last.end(), std::size_t(0));
  for (std::size_t i = layers(); i-- > 0;) {
    if (steps_[i].behind) last[*steps_[i].behind] = last[i];
  }
  return last;
}

TaskLists LayerPasses::readers() const {
  TaskLists all(layers());
  for (std::size_t i = 0; i < layers(); ++i) {
    for (const Reading& reading : readings_[i]) all[i].push_back(reading.step);
  }
  return all;
}

void LayerPasses::forward(std::size_t layer, std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
                          LayerCost* cost) {
  const GraphStep& step = steps_[layer];
  if (!step.takes_part(pass)) return;
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const Autocast autocast(compute.device.type(), compute.precision);
  values[inputs_ + layer] = step.forward(values, pass, cost);
}

/// Gradient of the layer's value; undefined where no reader sent one.
at::Tensor LayerPasses::arrived(std::size_t layer, std::vector<at::Tensor>& grads) {
  at::Tensor sum = std::move(grads[inputs_ + layer]);
  grads[inputs_ + layer] = at::Tensor();
  for (const Reading& reading : readings_[layer]) {
    if (reading.input >= leaving_[reading.step].size()) continue;  // the reader got no gradient itself
    at::Tensor& part = leaving_[reading.step][reading.input];
    if (part.defined() && steps_[layer].trains) add_gradient(sum, std::move(part));
    part = at::Tensor();
  }
  return sum;
}

void LayerPasses::backward(std::size_t layer, std::vector<at::Tensor>& grads, LayerCost* cost) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const at::Tensor grad = arrived(layer, grads);
  leaving_[layer].clear();
  if (!steps_[layer].trains) return;
  const Lap lap(cost != nullptr && grad.defined() ? &cost->backward : nullptr);
  leaving_[layer] = steps_[layer].backward(grad);
}

void LayerPasses::add_ties() const {
  for (std::size_t i = steps_.size(); i-- > 0;) steps_[i].add_ties();
}

}  // namespace dlrun::nn
