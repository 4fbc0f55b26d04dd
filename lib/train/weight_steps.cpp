// SPDX-License-Identifier: Apache-2.0
#include "train/weight_steps.hpp"

#include <algorithm>

#include "train/gradients.hpp"
#include "train/layout.hpp"

namespace dlrun::train {

namespace {

Layout layout_of(const Config& config, const model::Graph& graph, const nn::Parameters& at) {
  Layout layout = make_layout(config.optimizer, graph, at);
  layout.has_own_rates = config.lr_scaling && config.lr_scaling->is_layer_wise();
  return layout;
}

}  // namespace

WeightSteps::WeightSteps(const Config& config, const model::Graph& graph, const nn::Parameters& at,
                         std::optional<at::Device> device)
    : at_(at),
      clip_norm_(config.clip_norm),
      clip_value_(config.clip_value),
      optimizer_(make_optimizer(config.optimizer, layout_of(config, graph, at))) {
  if (device) there_.emplace(config.optimizer, *optimizer_, *device);
  for (const nn::Parameter& parameter : at.all()) {
    if (parameter.trainable && !optimizer_->moves(std::size_t(parameter.offset))) frozen_.push_back(parameter.grad);
  }
}

void WeightSteps::zero_frozen() {
  for (at::Tensor& grad : frozen_) grad.zero_();
}

bool WeightSteps::unscale(LossScale& scale) {
  zero_frozen();
  return train::unscale(GradScaler(scale), scale, at_.grads());
}

double WeightSteps::grad_norm() {
  zero_frozen();
  return norm_of(at_.grads());
}

/// Frozen tensors have no gradient, as in PyTorch, and so no part in the norm.
void WeightSteps::clip() {
  if (!clip_value_ && !clip_norm_) return;
  zero_frozen();
  if (clip_value_) clip_values_of(at_.grads(), *clip_value_);
  if (clip_norm_) clip_norm_of(at_.grads(), *clip_norm_);
}

void WeightSteps::take(const Pace& pace) {
  clip();
  const at::Tensor &values = at_.values(), &grads = at_.grads();
  if (there_) return there_->step(values, grads, pace);
  optimizer_->step(values.mutable_data_ptr<float>(), grads.const_data_ptr<float>(), pace);
}

std::vector<std::string> WeightSteps::without_gradient(const nn::Parameters& host) const {
  std::vector<std::string> names;
  for (const nn::Parameter& p : host.all()) {
    if (!p.trainable || !optimizer_->moves(std::size_t(p.offset)) || p.value.numel() == 0) continue;
    const auto* grads = host.grads().const_data_ptr<float>() + p.offset;
    if (std::all_of(grads, grads + p.value.numel(), [](float g) { return g == 0; })) names.push_back(p.name);
  }
  return names;
}

void WeightSteps::fetch_state() {
  if (there_) there_->fetch(*optimizer_);
}

void WeightSteps::send_state() {
  if (there_) there_->send(*optimizer_);
}

}  // namespace dlrun::train
