// SPDX-License-Identifier: Apache-2.0
// Virtual time and what happens in it.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "driver/clock.hpp"

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
  void plan(Time when, std::function<void()> what) { planned_.push({std::max(when, now_), order_++, std::move(what)}); }
  void plan(Duration after, std::function<void()> what) { plan(now_ + after, std::move(what)); }
  /// Lets time pass until something has happened for which `is_enough` holds, at most until `end`.
  void pass(Time end, const std::function<bool()>& is_enough) {
    while (!is_enough() && !planned_.empty() && planned_.top().when <= end) happen();
    if (!is_enough()) now_ = std::max(now_, end);
  }

 private:
  struct Planned {
    Time when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator>(const Planned& other) const { return std::pair(when, order) > std::pair(other.when, other.order); }
  };
  void happen() {
    const Planned next = planned_.top();
    planned_.pop();
    now_ = std::max(now_, next.when);
    next.what();
  }

  Time now_{std::chrono::hours(1)};  ///< ages are subtracted from it
  std::uint64_t order_ = 0;
  std::priority_queue<Planned, std::vector<Planned>, std::greater<>> planned_;
};

}  // namespace dlrun::driver_sim
