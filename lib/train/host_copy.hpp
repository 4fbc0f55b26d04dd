// SPDX-License-Identifier: Apache-2.0
// The model's tensors on the CPU, where optimisers, averages and checkpoints work.
#pragma once
#include <optional>

#include "model/graph.hpp"
#include "nn/parameters.hpp"

namespace dlrun::train {

/// For a model on the CPU these are the model's own tensors, and nothing is copied. For one on another device it is a
/// copy, so that a checkpoint looks the same wherever it was made. Optimisers that the device has no kernel for work
/// here: gradients come for a step and the new weights go back, 8 bytes a weight and step over the bus.
class HostCopy {
 public:
  /// @param model     lent
  /// @param is_apart  copy, as for another device; tests do so on the CPU
  HostCopy(nn::Parameters& model, const model::Graph& graph, bool is_apart);

  nn::Parameters& parameters() { return apart_ ? *apart_ : model_; }
  const nn::Parameters& parameters() const { return apart_ ? *apart_ : model_; }

  void fetch_grads() const;
  void fetch_values() const;
  /// Buffers (running statistics), which forward changes.
  void fetch_buffers() const;
  void send_values() const;
  /// Values and buffers, after they were restored here.
  void send_all() const;

 private:
  nn::Parameters& model_;
  mutable std::optional<nn::Parameters> apart_;
};

}  // namespace dlrun::train
