// SPDX-License-Identifier: Apache-2.0
#include "train/grad_scaler.hpp"

#include <cmath>

namespace dlrun::train {

bool GradScaler::unscale(float* grads, std::size_t size) const {
  const auto factor = float(1.0 / state_.scale);
  bool is_finite = true;
  for (std::size_t i = 0; i < size; ++i) {
    is_finite = is_finite && std::isfinite(grads[i]);
    grads[i] *= factor;
  }
  return is_finite;
}

bool GradScaler::update(bool is_finite) {
  if (!is_finite) {
    state_ = {state_.scale * kBackoff, 0};
    return state_.scale >= kLeast;
  }
  if (++state_.good < kInterval) return true;
  const double grown = state_.scale * kGrowth;
  if (std::isfinite(float(grown))) state_.scale = grown;
  state_.good = 0;
  return true;
}

}  // namespace dlrun::train
