// SPDX-License-Identifier: Apache-2.0
// Notices that the ranks of a trial make no step any more, a little before the driver would end their worker: so the
// first process has time to ask which rank does not answer.
#pragma once
#include <chrono>

namespace dlrun::train {

/// Thrown where a gang has made no step for so long.
struct Hung {
  double seconds = 0;
};

class HangClock {
 public:
  /// @param limit  limits.hang, in seconds; 0: none
  explicit HangClock(double limit) : limit_(kShare * limit) {}

  void note_step() { last_step_ = Clock::now(); }
  /// @throws Hung
  void check() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - last_step_).count();
    if (limit_ > 0 && seconds > limit_) throw Hung{seconds};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kShare = 0.95;
  double limit_;
  Clock::time_point last_step_ = Clock::now();
};

}  // namespace dlrun::train
