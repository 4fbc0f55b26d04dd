// SPDX-License-Identifier: Apache-2.0
// When a simulated driver dies.
#pragma once
#include <cstdint>

namespace dlrun::driver_sim {

/// Thrown where the driver dies; no std::exception, so that nothing of the driver's catches it.
struct DriverDied {};

/// A driver lives for a number of calls of what it cannot do without: its clock, its executor, its disk. Once it is
/// dead every further call throws, so that nothing leaves it any more.
class Fate {
 public:
  /// The next driver lives for so many calls; below 0: for ever.
  void begin(std::int64_t calls) { left_ = calls, is_dead_ = false; }
  void kill() { is_dead_ = true; }
  bool is_dead() const { return is_dead_; }
  /// @throws DriverDied
  void pass() {
    if (!survives()) throw DriverDied{};
  }
  /// Counts a call; for callers that cannot throw.
  bool survives() {
    if (left_ >= 0 && left_-- == 0) is_dead_ = true;
    return !is_dead_;
  }

 private:
  std::int64_t left_ = -1;
  bool is_dead_ = false;
};

}  // namespace dlrun::driver_sim
