// SPDX-License-Identifier: Apache-2.0
// Signs of life on a connection, in both directions.
#pragma once
#include <chrono>

namespace dlrun::worker {

/// When a heartbeat is due, and when a silent driver means that the connection is broken.
class Pulse {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// @param lost_after  seconds of silence; 0: any
  Pulse(double interval, double lost_after, Clock::time_point now)
      : interval_(interval), lost_after_(lost_after), last_beat_(now), last_heard_(now) {}

  /// True once in every interval.
  bool is_due(Clock::time_point now) {
    if (now - last_beat_ < interval_) return false;
    last_beat_ = now;
    return true;
  }
  /// Something came from the driver.
  void note_heard(Clock::time_point now) { last_heard_ = now; }
  bool is_silent(Clock::time_point now) const { return lost_after_.count() > 0 && now - last_heard_ > lost_after_; }

 private:
  Seconds interval_, lost_after_;
  Clock::time_point last_beat_, last_heard_;
};

}  // namespace dlrun::worker
