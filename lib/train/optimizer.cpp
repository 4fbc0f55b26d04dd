// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer.hpp"

#include <cmath>

#include "util/error.hpp"

namespace dlrun::train {

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, std::size_t size) {
  if (config.op == "sgd") return make_sgd(config, size);
  if (config.op == "adam") return make_adam(config, size);
  if (config.op == "adamw") return make_adamw(config, size);
  throw Error(ErrorKind::usage, "optimizer.op: there is no '" + config.op + "'");
}

double clip_norm(float* grads, std::size_t size, double limit) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= size; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += double(grads[i + k]) * double(grads[i + k]);
  }
  for (std::size_t i = size / kLanes * kLanes; i < size; ++i) lanes[0] += double(grads[i]) * double(grads[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  const double norm = std::sqrt(sum);
  const auto factor = float(std::min(1.0, limit / (norm + 1e-6)));
  if (factor < 1) {
    for (std::size_t i = 0; i < size; ++i) grads[i] *= factor;
  }
  return norm;
}

}  // namespace dlrun::train
