// SPDX-License-Identifier: Apache-2.0
#include "nn/autograd_layer.hpp"

#include <algorithm>

#include <torch/csrc/autograd/autograd.h>

#include "nn/optional.hpp"
#include "nn/with_autograd.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

at::Tensor leaf_of(const at::Tensor& value) {
  at::Tensor leaf = value.detach();
  leaf.set_requires_grad(true);
  return leaf;
}

}  // namespace

const at::Tensor& Tensors::operator[](std::string_view local) const {
  static const at::Tensor none;
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& entry) { return entry.first == local; });
  return found == all_.end() ? none : found->second;
}

std::optional<at::Tensor> Tensors::optional(std::string_view local) const { return nn::optional((*this)[local]); }

AutogradLayer::AutogradLayer(const Scope& scope) {
  for (const std::string& local : scope.locals()) {
    parameters_.emplace_back(local, scope.tensor(local));
    tensors_.all_.emplace_back(local, parameters_.back().second.value);
  }
}

const Parameter* AutogradLayer::find(std::string_view local) const {
  for (const auto& [name, parameter] : parameters_) {
    if (name == local) return &parameter;
  }
  return nullptr;
}

const Parameter& AutogradLayer::parameter(std::string_view local) const {
  if (const Parameter* found = find(local)) return *found;
  throw Error(ErrorKind::internal, "the layer has no tensor '" + std::string(local) + "'");
}

at::Tensor AutogradLayer::forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) {
  if (!pass.training) return compute(inputs, tensors_, pass);
  const WithAutograd autograd;
  inputs_.clear();
  leaves_.clear();
  for (const at::Tensor& input : inputs) inputs_.push_back(input.is_floating_point() ? leaf_of(input) : input);
  Tensors tensors;
  for (const auto& [local, parameter] : parameters_) {
    leaves_.push_back(parameter.trainable ? leaf_of(parameter.value) : at::Tensor());
    tensors.all_.emplace_back(local, parameter.trainable ? leaves_.back() : parameter.value);
  }
  output_ = compute(inputs_, tensors, pass);
  return output_.detach();
}

std::vector<at::Tensor> AutogradLayer::backward(const at::Tensor& grad, const std::vector<bool>& wanted) {
  std::vector<at::Tensor> result(wanted.size());
  std::vector<at::Tensor> asked;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && inputs_[i].requires_grad()) asked.push_back(inputs_[i]);
  }
  for (const at::Tensor& leaf : leaves_) {
    if (leaf.defined()) asked.push_back(leaf);
  }
  std::vector<at::Tensor> grads;
  if (!asked.empty() && output_.requires_grad())
    grads = torch::autograd::grad({output_}, asked, {grad}, std::nullopt, false, true);
  grads.resize(asked.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && inputs_[i].requires_grad()) result[i] = grads[next++];
  }
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (!leaves_[i].defined()) continue;
    const at::Tensor& arrived = grads[next++];
    const at::Tensor& own = parameters_[i].second.grad;
    arrived.defined() ? own.copy_(arrived) : own.zero_();
  }
  inputs_.clear();
  leaves_.clear();
  output_.reset();
  return result;
}

}  // namespace dlrun::nn
