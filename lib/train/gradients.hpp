// SPDX-License-Identifier: Apache-2.0
// Changes of all gradients before a step, where they lie: on the CPU by the loops of optimizer.hpp and GradScaler,
// elsewhere by ATen's operations.
#pragma once
#include <ATen/core/Tensor.h>

#include "train/grad_scaler.hpp"

namespace dlrun::train {

/// Euclidean; on the CPU summed in double. @param numbers  [n] float32
double norm_of(const at::Tensor& numbers);
/// Scales them so that their norm is at most `limit`, in place.
void clip_norm_of(const at::Tensor& grads, double limit);
/// Brings every number into [-limit, limit], in place.
void clip_values_of(const at::Tensor& grads, double limit);
/// GradScaler::unscale.
bool unscale(const GradScaler& scaler, const LossScale& scale, const at::Tensor& grads);

}  // namespace dlrun::train
