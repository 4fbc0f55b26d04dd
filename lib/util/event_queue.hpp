// SPDX-License-Identifier: Apache-2.0
// Happenings in virtual time. Their order is a function of what was scheduled, and of no clock or thread.
#pragma once
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace dlrun {

/// Gives back by time; at equal times by source, then in the order of scheduling.
template <class What>
class EventQueue {
 public:
  struct Event {
    double time = 0;
    int source = 0;
    std::uint64_t sequence = 0;
    What what;
  };

  void schedule(double time, int source, What what) { heap_.push({time, source, next_++, std::move(what)}); }
  bool is_empty() const { return heap_.empty(); }
  double next_time() const { return heap_.top().time; }
  /// REQUIRES: not empty.
  Event next() {
    Event event = std::move(const_cast<Event&>(heap_.top()));  // popped at once, so its moved state orders nothing
    heap_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::tie(a.time, a.source, a.sequence) > std::tie(b.time, b.source, b.sequence);
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace dlrun
