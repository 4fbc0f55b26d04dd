// SPDX-License-Identifier: Apache-2.0
// Where the time of a training step goes, for a profile.
#pragma once
#include <array>
#include <chrono>
#include <cstddef>

namespace dlrun::train {

/// In the order of a step. `loss`: value, gradient and what metrics sum up.
enum class Phase : std::size_t { batch, forward, loss, backward, optimizer };
inline constexpr std::array<const char*, 5> kPhaseNames = {"batch", "forward", "loss", "backward", "optimizer"};

/// Phases follow one another without a gap: each ends where the next begins.
class StepClock {
 public:
  void begin() {
    seconds_.fill(0);
    last_ = Clock::now();
  }
  void end_of(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Seconds of the last step, by Phase.
  const std::array<double, 5>& seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::array<double, 5> seconds_{};
  Clock::time_point last_;
};

/// @param clock  nullptr: nobody measures
inline void end_of(StepClock* clock, Phase phase) {
  if (clock != nullptr) clock->end_of(phase);
}

}  // namespace dlrun::train
