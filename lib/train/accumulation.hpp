// SPDX-License-Identifier: Apache-2.0
// Several batches as one step.
#pragma once
#include <ATen/core/Tensor.h>

#include "train/loss.hpp"

namespace dlrun::train {

/// Gradients and loss of the batches of a step: their means over all that counts in them, as one large batch would
/// give them. A step of one batch leaves its gradients as they are.
class Accumulation {
 public:
  /// @param grads  [n] float32, on the device where the gradients lie
  /// @param batches  of a step
  Accumulation(const at::Tensor& grads, std::int64_t batches);

  /// A batch has been passed. @param grads  its gradients    @param loss  its mean, and how much it weighs
  void add_batch(const at::Tensor& grads, const Measured& loss);
  /// Writes the step's gradients and begins the next step. @return its loss
  double finish(at::Tensor grads);

 private:
  at::Tensor grads_;  ///< [n] float32, 0 between steps; undefined if a step is one batch
  double loss_ = 0, weight_ = 0;
};

}  // namespace dlrun::train
