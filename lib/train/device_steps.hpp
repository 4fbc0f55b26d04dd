// SPDX-License-Identifier: Apache-2.0
// Optimiser steps taken where the model is, by PyTorch's fused kernels: no weight and no gradient leaves the device.
#pragma once
#include <vector>

#include <ATen/core/Tensor.h>

#include "train/optimizer.hpp"

namespace dlrun::train {

/// The state of an Optimizer on a device, and its steps there. Its numbers agree with the Optimizer's to rounding, not
/// by the bit.
class DeviceSteps {
 public:
  /// Whether there are kernels for it: sgd, adam and adamw. Others step on the CPU (HostCopy).
  static bool knows(const OptimizerConfig& config);

  /// @param host  its ranges hold here too, and its state is where this begins
  DeviceSteps(const OptimizerConfig& config, const Optimizer& host, at::Device device);

  /// @param values  [n] float32 on the device, changed in place    @param grads  [n] float32 there
  void step(const at::Tensor& values, const at::Tensor& grads, const Pace& pace);

  /// The state to the host, for a checkpoint; and back, after one was restored.
  void fetch(Optimizer& host) const;
  void send(const Optimizer& host);

 private:
  void move(const std::vector<at::Tensor>& values, const std::vector<at::Tensor>& grads, const Range& range,
            const Pace& pace);
  std::vector<at::Tensor> part(std::size_t slot, const Range& range) const;

  recipe::Method method_;
  std::vector<Range> ranges_;
  std::vector<at::Tensor> slots_;  ///< [n] float32 each, in the order of Optimizer::slots()
};

}  // namespace dlrun::train
