// SPDX-License-Identifier: Apache-2.0
// Virtual time and what happens in it.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "driver/clock.hpp"
#include "util/event_queue.hpp"

namespace dlrun::driver_sim {

using Time = driver::Clock::time_point;
using Duration = driver::Clock::duration;

inline Duration seconds(double count) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count));
}

/// Happenings in the order of their times; of equal times in the order in which they were planned.
class Timeline {
 public:
  Time now() const { return now_; }
  void plan(Time when, std::function<void()> what) {
    planned_.schedule(number_of(std::max(when, now_)), 0, std::move(what));
  }
  void plan(Duration after, std::function<void()> what) { plan(now_ + after, std::move(what)); }
  /// Lets time pass until something has happened for which `is_enough` holds, at most until `end`.
  void pass(Time end, const std::function<bool()>& is_enough) {
    while (!is_enough() && !planned_.is_empty() && planned_.next_time() <= number_of(end)) happen();
    if (!is_enough()) now_ = std::max(now_, end);
  }

 private:
  /// Nanoseconds, which a double has exactly for a hundred days.
  static double number_of(Time time) { return double(time.time_since_epoch().count()); }
  void happen() {
    const auto next = planned_.next();
    now_ = std::max(now_, Time(Duration(Duration::rep(next.time))));
    next.what();
  }

  Time now_{std::chrono::hours(1)};  ///< ages are subtracted from it
  EventQueue<std::function<void()>> planned_;
};

}  // namespace dlrun::driver_sim
