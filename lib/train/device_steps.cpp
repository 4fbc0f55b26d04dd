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

}  // namespace

bool DeviceSteps::knows(const OptimizerConfig& config) {
  return config.op == "sgd" || config.op == "adam" || config.op == "adamw";
}

DeviceSteps::DeviceSteps(const OptimizerConfig& config, const Optimizer& host, at::Device device)
    : config_(config), ranges_(host.layout().ranges) {
  for (const Slot& slot : host.slots()) slots_.push_back(view_of(slot).to(device, at::kFloat, false, /*copy=*/true));
}

void DeviceSteps::step(const at::Tensor& values, const at::Tensor& grads, const Pace& pace) {
  for (const Range& range : ranges_) move(narrowed(values, range), narrowed(grads, range), range, pace);
}

void DeviceSteps::move(const std::vector<at::Tensor>& values, const std::vector<at::Tensor>& grads, const Range& range,
                       const Pace& pace) {
  const double lr = pace.lr * range.lr;
  if (config_.op == "sgd") {
    const bool is_first = pace.step == 1 && !slots_.empty();
    return at::_fused_sgd_(values, grads, part(0, range), range.weight_decay,
                           slots_.empty() ? 0 : pace.momentum.value_or(config_.momentum), lr, config_.dampening,
                           config_.nesterov, false, is_first);
  }
  const std::vector<at::Tensor> most = config_.amsgrad ? part(2, range) : std::vector<at::Tensor>();
  const std::vector<at::Tensor> count = {at::full({}, double(pace.step), values[0].options())};
  const auto take = [&](const auto& kernel) {
    kernel(values, grads, part(0, range), part(1, range), most, count, lr, pace.momentum.value_or(config_.beta1),
           config_.beta2, range.weight_decay, config_.eps, config_.amsgrad, false);
  };
  if (config_.op == "adam") return take([](const auto&... with) { at::_fused_adam_(with...); });
  take([](const auto&... with) { at::_fused_adamw_(with...); });
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
