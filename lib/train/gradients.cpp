// SPDX-License-Identifier: Apache-2.0
#include "train/gradients.hpp"

#include <cmath>

#include <ATen/ops/clamp.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "train/optimizer.hpp"

namespace dlrun::train {

double norm_of(const at::Tensor& numbers) {
  if (!numbers.is_cpu()) return at::linalg_vector_norm(numbers, 2).item<double>();
  const auto* x = numbers.const_data_ptr<float>();
  double sum = 0;
  for (std::int64_t i = 0; i < numbers.numel(); ++i) sum += double(x[i]) * double(x[i]);
  return std::sqrt(sum);
}

void clip_norm_of(const at::Tensor& grads, double limit) {
  if (grads.is_cpu()) {
    clip_norm(grads.mutable_data_ptr<float>(), std::size_t(grads.numel()), limit);
    return;
  }
  const at::Tensor norm = at::linalg_vector_norm(grads, 2);
  grads.mul_(norm.add(1e-6).reciprocal().mul(limit).clamp_max(1.0));
}

void clip_values_of(const at::Tensor& grads, double limit) {
  if (!grads.is_cpu()) {
    grads.clamp_(-limit, limit);
    return;
  }
  clip_value(grads.mutable_data_ptr<float>(), std::size_t(grads.numel()), limit);
}

bool unscale(const GradScaler& scaler, const LossScale& scale, const at::Tensor& grads) {
  if (grads.is_cpu()) return scaler.unscale(grads.mutable_data_ptr<float>(), std::size_t(grads.numel()));
  const bool is_finite = at::isfinite(grads).all().item<bool>();
  grads.mul_(1.0 / scale.scale);
  return is_finite;
}

}  // namespace dlrun::train
