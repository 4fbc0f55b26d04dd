// SPDX-License-Identifier: Apache-2.0
#include "train/device_steps.hpp"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>

namespace dlrun::train {

namespace {

/// The slot's own memory, seen as a tensor. @return [n] float32 on the CPU
at::Tensor view_of(const Slot& slot) {
  return at::from_blob(const_cast<float*>(slot.values.data()), {std::int64_t(slot.values.size())}, at::kFloat);
}

std::vector<at::Tensor> narrowed(const at::Tensor& whole, const Range& range) {
  return {whole.narrow(0, std::int64_t(range.begin), std::int64_t(range.end - range.begin))};
}

/// The settings of adam or adamw; nullptr for other methods.
const recipe::Adam* adam_of(const recipe::Method& method) {
  const recipe::Adam* decoupled = std::get_if<recipe::AdamW>(&method);
  return decoupled != nullptr ? decoupled : std::get_if<recipe::Adam>(&method);
}

}  // namespace

bool DeviceSteps::knows(const OptimizerConfig& config) {
  return std::holds_alternative<recipe::Sgd>(config.method) || adam_of(config.method) != nullptr;
}

DeviceSteps::DeviceSteps(const OptimizerConfig& config, const Optimizer& host, at::Device device)
    : method_(config.method), ranges_(host.layout().ranges) {
  for (const Slot& slot : host.slots()) slots_.push_back(view_of(slot).to(device, at::kFloat, false, /*copy=*/true));
}

void DeviceSteps::step(const at::Tensor& values, const at::Tensor& grads, const Pace& pace) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range range = ranges_[i];
    if (!pace.factors.empty()) range.lr *= pace.factors[i];
    move(narrowed(values, range), narrowed(grads, range), range, pace);
  }
}

void DeviceSteps::move(const std::vector<at::Tensor>& values, const std::vector<at::Tensor>& grads, const Range& range,
                       const Pace& pace) {
  const double lr = pace.lr * range.lr;
  if (const auto* sgd = std::get_if<recipe::Sgd>(&method_)) {
    const bool is_first = pace.step == 1 && !slots_.empty();
    return at::_fused_sgd_(values, grads, part(0, range), range.weight_decay,
                           slots_.empty() ? 0 : pace.momentum.value_or(sgd->momentum), lr, sgd->dampening,
                           sgd->nesterov, false, is_first);
  }
  const recipe::Adam& adam = *adam_of(method_);
  const std::vector<at::Tensor> most = adam.amsgrad ? part(2, range) : std::vector<at::Tensor>();
  const std::vector<at::Tensor> count = {at::full({}, double(pace.step), values[0].options())};
  const auto step_with = [&](const auto& kernel) {
    kernel(values, grads, part(0, range), part(1, range), most, count, lr, pace.momentum.value_or(adam.betas[0]),
           adam.betas[1], range.weight_decay, adam.eps, adam.amsgrad, false);
  };
  if (std::holds_alternative<recipe::Adam>(method_))
    return step_with([](const auto&... with) { at::_fused_adam_(with...); });
  step_with([](const auto&... with) { at::_fused_adamw_(with...); });
}

std::vector<at::Tensor> DeviceSteps::part(std::size_t slot, const Range& range) const {
  return slot < slots_.size() ? narrowed(slots_[slot], range) : std::vector<at::Tensor>();
}

void DeviceSteps::fetch(Optimizer& host) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) view_of(host.slots()[i]).copy_(slots_[i]);
}

void DeviceSteps::send(const Optimizer& host) {
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].copy_(view_of(host.slots()[i]));
}

}  // namespace dlrun::train
