// SPDX-License-Identifier: Apache-2.0
// Loss functions with their gradients.
#pragma once
#include <memory>

#include <ATen/core/Tensor.h>

#include "dataset/dataset.hpp"
#include "model/graph.hpp"
#include "train/config.hpp"

namespace dlrun::train {

/// Mean over the batch (and, for regression, over the targets), as PyTorch's reduction "mean".
class Loss {
 public:
  virtual ~Loss() = default;
  /// @param output   [B, C] or [B, T] float32, contiguous; cross-entropies take logits
  /// @param targets  [B] int64 in [0, C), or [B, T] float32
  /// @param grad     where given: set to the gradient of the mean with respect to `output`
  /// @return         the mean, in double; NaN or infinite where the numbers are
  virtual double measure(const at::Tensor& output, const at::Tensor& targets, at::Tensor* grad) = 0;
};

/// @param output  shape of the model's output, which must fit the loss and the data
/// @throws Error(usage) where it does not, saying what would.
std::unique_ptr<Loss> make_loss(const LossConfig& config, const model::Shape& output, const dataset::Schema& data);

}  // namespace dlrun::train
