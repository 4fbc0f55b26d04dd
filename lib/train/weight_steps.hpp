// SPDX-License-Identifier: Apache-2.0
// An optimiser's steps with all that is done to the gradients before: loss scale off, frozen tensors to zero, clipping.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/graph.hpp"
#include "nn/parameters.hpp"
#include "train/config.hpp"
#include "train/device_steps.hpp"
#include "train/grad_scaler.hpp"
#include "train/optimizer.hpp"

namespace dlrun::train {

/// A part of the flat buffers.
struct Stretch {
  std::size_t begin = 0, end = std::numeric_limits<std::size_t>::max();  ///< the last excluded; more is the whole
};

/// Views of the gradients of tensors that are not trained, within a stretch of the flat buffer.
std::vector<at::Tensor> frozen_grads(const Config& config, const model::Graph& graph, const nn::Parameters& at,
                                     Stretch where = {});

/// Moves the weights of one set of parameters, or of a stretch of them, by their gradients.
class WeightSteps {
 public:
  /// @param at      weights and gradients, on `device` if it is given; lent
  /// @param device  fused kernels take the steps there; nullopt: the loops of the CPU do
  /// @param where   nothing else is read, clipped or moved, and the optimiser's state begins there. Whoever cuts a
  ///                tensor takes no optimiser that steps by whole tensors
  WeightSteps(const Config& config, const model::Graph& graph, const nn::Parameters& at,
              std::optional<at::Device> device = std::nullopt, Stretch where = {});

  /// Takes the loss scale off the gradients. @return whether all of them are finite
  bool unscale(LossScale& scale);
  /// Euclidean norm of the gradients of all that is trained.
  double grad_norm();
  /// Clips the gradients and moves the weights.
  void take_step(const Pace& pace);

  /// Names of the tensors that the optimiser moves and whose gradient is zero everywhere.
  /// @param host  these parameters on the CPU, with their gradients
  std::vector<std::string> without_gradient(const nn::Parameters& host) const;

  const Optimizer& optimizer() const { return *optimizer_; }
  Optimizer& optimizer() { return *optimizer_; }
  /// Brings the state from the device into optimizer(), for a checkpoint.
  void fetch_state();
  /// Brings the state of optimizer(), into which a checkpoint was copied, to the device.
  void send_state();

 private:
  void zero_frozen();
  void clip();

  at::Tensor values_, grads_;  ///< views
  std::optional<double> clip_norm_, clip_value_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<DeviceSteps> there_;  ///< takes the steps in the optimiser's place
  std::vector<at::Tensor> frozen_;    ///< gradients of tensors that are not trained
};

}  // namespace dlrun::train
