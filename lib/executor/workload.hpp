// SPDX-License-Identifier: Apache-2.0
// Workload of one worker: attempts that it was given and has not answered. Private to this room.
#pragma once
#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "executor/ending.hpp"
#include "executor/executor.hpp"
#include "executor/hub_options.hpp"

namespace dlrun::executor {

/// Measures how long the first attempt has been running, and whether it makes steps.
class Workload {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Workload(Time now) : piece_began_(now), last_step_(now) {}

  void add_attempt(const AttemptKey& attempt, Time now) {
    if (attempts_.empty()) restart_clock(now);
    attempts_.push_back(attempt);
  }
  void finish(const AttemptKey& attempt, Time now) {
    std::erase(attempts_, attempt);
    restart_clock(now);
  }
  /// The time that a piece takes counts from now.
  void restart_clock(Time now) { piece_began_ = last_step_ = now; }
  /// @param steps  count of steps that the worker reports; equal counts are no progress
  void beat(std::int64_t steps, Time now) {
    if (steps != steps_) last_step_ = now;
    steps_ = steps;
  }

  bool has(const AttemptKey& attempt) const {
    return std::find(attempts_.begin(), attempts_.end(), attempt) != attempts_.end();
  }
  /// All attempts; the worker runs the first.
  std::vector<AttemptKey> attempts() const { return {attempts_.begin(), attempts_.end()}; }
  /// How long the worker has had nothing to do.
  std::chrono::steady_clock::duration idle(Time now) const {
    return attempts_.empty() ? now - piece_began_ : std::chrono::steady_clock::duration::zero();
  }
  /// Why the first attempt must be ended: it takes too long, or makes no steps. nullopt: neither.
  /// @param last_heard  steps are counted up to the last heartbeat: a worker that is silent altogether is lost, which
  /// is
  ///                    not its trial's fault
  std::optional<Ending> overrun(const HubOptions& options, Time last_heard, Time now) const;

 private:
  std::deque<AttemptKey> attempts_;
  Time piece_began_;
  Time last_step_;
  std::int64_t steps_ = -1;
};

}  // namespace dlrun::executor
