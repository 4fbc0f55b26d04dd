// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/tested_layer.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include "model/flat.hpp"
#include "nn/plugin_layer.hpp"
#include "train/contracts/draws.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr nn::Streams kStreams{.seed = 17, .replicate = 0};

}  // namespace

TestedLayer::TestedLayer(const LayerCase& at)
    : case_(at), parameters_(at.graph), layer_(nn::make_plugin_layer({at.node(), parameters_, kStreams})) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;  // as in GraphModule, here and below
  layer_->initialise(kStreams);
}

at::Tensor TestedLayer::forward(const Inputs& inputs, const nn::Pass& pass) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  inputs_ = inputs;
  return layer_->forward(inputs_, pass);
}

std::vector<at::Tensor> TestedLayer::backward(const at::Tensor& grad) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  std::vector<bool> wanted;
  for (const at::Tensor& input : inputs_) wanted.push_back(input.is_floating_point());
  std::vector<at::Tensor> grads = layer_->backward(grad, wanted);
  for (std::size_t i = 0; i < grads.size(); ++i) {  // undefined: the output does not depend on the input
    if (wanted[i] && !grads[i].defined()) grads[i] = at::zeros_like(inputs_[i]);
  }
  return grads;
}

void TestedLayer::stir() {
  for (const nn::Parameter& parameter : parameters_.all()) {
    at::Tensor value = parameter.value;
    if (parameter.trainable) value.add_(drawn(value.sizes().vec(), "stir " + parameter.name), 0.5);
  }
}

void TestedLayer::load(const TestedLayer& other) { set(other.tensors()); }

std::vector<at::Tensor> TestedLayer::tensors() const {
  std::vector<at::Tensor> copies;
  for (const nn::Parameter& parameter : parameters_.all()) copies.push_back(parameter.value.clone());
  return copies;
}

void TestedLayer::set(const std::vector<at::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    at::Tensor value = parameters_.all()[i].value;
    value.copy_(tensors[i]);
  }
}

std::string local_name(const nn::Parameter& parameter) { return parameter.name.substr(parameter.name.find('.') + 1); }

Inputs drawn_inputs(const LayerCase& at, std::int64_t examples, const std::string& name,
                    const std::vector<bool>& are_indices) {
  Inputs inputs;
  for (std::size_t i = 0; i < at.node().in.size(); ++i) {
    model::Shape shape{examples};
    shape.insert(shape.end(), at.node().in[i].begin(), at.node().in[i].end());
    const std::string stream = name + ' ' + std::to_string(i);
    inputs.push_back(are_indices[i] ? drawn_labels(model::numel(shape), 2, stream).reshape(shape)
                                    : drawn(shape, stream));
  }
  return inputs;
}

}  // namespace dlrun::train::contracts
