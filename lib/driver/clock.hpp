// SPDX-License-Identifier: Apache-2.0
// The time that a driver's waits and limits are measured by.
#pragma once
#include <chrono>

namespace dlrun::driver {

/// Time that never goes back. No decision of a study depends on it.
class Clock {
 public:
  using duration = std::chrono::steady_clock::duration;
  using time_point = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;
  virtual time_point now() const = 0;
};

/// The machine's monotonic clock.
class MachineClock final : public Clock {
 public:
  time_point now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace dlrun::driver
