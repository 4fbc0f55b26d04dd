// SPDX-License-Identifier: Apache-2.0
#include "train/accumulation.hpp"

#include <utility>

#include <ATen/ops/zeros_like.h>

namespace dlrun::train {

Accumulation::Accumulation(const at::Tensor& grads, std::int64_t batches) {
  if (batches > 1) grads_ = at::zeros_like(grads);
}

void Accumulation::add_batch(const at::Tensor& grads, const Measured& loss) {
  if (grads_.defined()) grads_.add_(grads, loss.weight);
  loss_ += grads_.defined() ? loss.mean * loss.weight : loss.mean;
  weight_ += loss.weight;
}

double Accumulation::finish(at::Tensor grads) {
  const double weight = std::exchange(weight_, 0), loss = std::exchange(loss_, 0);
  if (!grads_.defined()) return loss;
  grads.copy_(grads_);
  if (weight > 0) grads.mul_(1.0 / weight);
  grads_.zero_();
  return weight > 0 ? loss / weight : loss;
}

}  // namespace dlrun::train
