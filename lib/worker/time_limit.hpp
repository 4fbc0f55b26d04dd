// SPDX-License-Identifier: Apache-2.0
// The time that a piece may take.
#pragma once
#include <chrono>
#include <optional>

namespace dlrun::worker {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param seconds  0: no limit
  explicit TimeLimit(double seconds) : seconds_(seconds) {}

  /// Counts from now on.
  void begin(Clock::time_point now) { begun_ = now; }
  /// Time does not count until the next begin().
  void pause() { begun_.reset(); }
  bool is_over(Clock::time_point now) const { return begun_ && seconds_.count() > 0 && now - *begun_ > seconds_; }

 private:
  std::chrono::duration<double> seconds_;
  std::optional<Clock::time_point> begun_;
};

}  // namespace dlrun::worker
