// SPDX-License-Identifier: Apache-2.0
// Limits of time that a study sets itself: limits.wall and limits.gpu_hours. Pure: callers pass the time.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "driver/clock.hpp"
#include "driver/gpu_budget.hpp"

namespace dlrun::driver {

class TimeLimits {
 public:
  /// @param wall  seconds of this run; 0: no limit
  TimeLimits(double wall, GpuBudget gpus, Clock::time_point now) : wall_(wall), gpus_(gpus), began_(now), seen_(now) {}

  /// Adds the time since the last call, in which so many workers were busy.
  void count_busy(Clock::time_point now, std::size_t busy_workers) {
    gpus_.spend(seconds(std::exchange(seen_, now), now), busy_workers);
  }
  /// The limit that is passed, in words.
  std::optional<std::string> passed(Clock::time_point now) const {
    if (wall_ > 0 && seconds(began_, now) > wall_) return fmt::format("limit of {:g} seconds (limits.wall)", wall_);
    if (gpus_.is_spent()) return fmt::format("limit of {:g} hours of GPUs (limits.gpu_hours)", gpus_.hours());
    return std::nullopt;
  }
  /// Seconds of this run.
  double seconds_at(Clock::time_point now) const { return seconds(began_, now); }

 private:
  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  double wall_;
  GpuBudget gpus_;
  Clock::time_point began_, seen_;
};

}  // namespace dlrun::driver
