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

Stretch inside(Stretch where, std::size_t begin, std::size_t end) {
  return {std::max(where.begin, begin), std::max({where.begin, begin, std::min(where.end, end)})};
}

at::Tensor view_of(const at::Tensor& flat, Stretch where) {
  const Stretch part = inside(where, 0, std::size_t(flat.numel()));
  return flat.narrow(0, std::int64_t(part.begin), std::int64_t(part.end - part.begin));
}

/// The ranges of a stretch, counted from its begin.
Layout cut(const Layout& whole, Stretch where) {
  const Stretch all = inside(where, 0, whole.size);
  Layout layout{all.end - all.begin, {}, whole.has_own_rates};
  for (Range range : whole.ranges) {
    const Stretch part = inside(all, range.begin, range.end);
    if (part.begin >= part.end) continue;
    range.begin = part.begin - all.begin;
    range.end = part.end - all.begin;
    layout.ranges.push_back(range);
  }
  return layout;
}

bool is_moved(const Layout& layout, const nn::Parameter& parameter) {
  return std::any_of(layout.ranges.begin(), layout.ranges.end(),
                     [&](const Range& range) { return range.begin == std::size_t(parameter.offset); });
}

}  // namespace

std::vector<at::Tensor> frozen_grads(const Config& config, const model::Graph& graph, const nn::Parameters& at,
                                     Stretch where) {
  const Layout layout = layout_of(config, graph, at);
  std::vector<at::Tensor> frozen;
  for (const nn::Parameter& parameter : at.all()) {
    if (!parameter.trainable || is_moved(layout, parameter)) continue;
    const auto begin = std::size_t(parameter.offset), end = begin + std::size_t(parameter.value.numel());
    frozen.push_back(view_of(at.grads(), inside(where, begin, end)));
  }
  return frozen;
}

WeightSteps::WeightSteps(const Config& config, const model::Graph& graph, const nn::Parameters& at,
                         std::optional<at::Device> device, Stretch where)
    : values_(view_of(at.values(), where)),
      grads_(view_of(at.grads(), where)),
      clip_norm_(config.clip_norm),
      clip_value_(config.clip_value),
      frozen_(frozen_grads(config, graph, at, where)) {
  optimizer_ = make_optimizer(config.optimizer, cut(layout_of(config, graph, at), where));
  if (device) there_.emplace(config.optimizer, *optimizer_, *device);
}

void WeightSteps::zero_frozen() {
  for (at::Tensor& grad : frozen_) grad.zero_();
}

bool WeightSteps::unscale(LossScale& scale) {
  zero_frozen();
  return train::unscale(GradScaler(scale), scale, grads_);
}

double WeightSteps::grad_norm() {
  zero_frozen();
  return norm_of(grads_);
}

/// Frozen tensors have no gradient, as in PyTorch, and so no part in the norm.
void WeightSteps::clip() {
  if (!clip_value_ && !clip_norm_) return;
  zero_frozen();
  if (clip_value_) clip_values_of(grads_, *clip_value_);
  if (clip_norm_) clip_norm_of(grads_, *clip_norm_);
}

void WeightSteps::take_step(const Pace& pace) {
  clip();
  if (there_) return there_->step(values_, grads_, pace);
  optimizer_->step(values_.mutable_data_ptr<float>(), grads_.const_data_ptr<float>(), pace);
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
