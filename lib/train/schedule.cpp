// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dlrun::train {

Schedule::Schedule(const ScheduleConfig& config, double lr, std::int64_t epochs, std::int64_t steps_per_epoch)
    : config_(config),
      lr_(lr),
      steps_per_epoch_(steps_per_epoch),
      total_(epochs * steps_per_epoch),
      warmup_(std::min<std::int64_t>(
          total_, std::llround(std::min(config.warmup, double(epochs)) * double(steps_per_epoch)))) {}

double Schedule::lr(std::int64_t step) const {
  if (step < warmup_) return lr_ * double(step + 1) / double(warmup_);
  return decayed(step);
}

double Schedule::decayed(std::int64_t step) const {
  if (config_.op == "step") {
    return lr_ * std::pow(config_.gamma, double(step / steps_per_epoch_ / config_.every));
  }
  if (config_.op == "cosine") {
    const double length = double(std::max<std::int64_t>(1, total_ - warmup_));
    const double part = std::min(1.0, double(step - warmup_) / length);
    return config_.min_lr + (lr_ - config_.min_lr) * 0.5 * (1.0 + std::cos(std::numbers::pi * part));
  }
  return lr_;
}

}  // namespace dlrun::train
