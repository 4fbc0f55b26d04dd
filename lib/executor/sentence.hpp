// SPDX-License-Identifier: Apache-2.0
// Why and when a worker has to end, and its signs of life. Private to this room.
#pragma once
#include <chrono>
#include <optional>

#include "executor/ending.hpp"

namespace dlrun::executor {

/// Signs of life of one worker.
class SignsOfLife {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit SignsOfLife(Time now) : started_(now), hello_(now), last_(now) {}

  void hear(Time now) { last_ = now; }
  void hear_hello(Time now) {
    is_ready_ = true;
    hello_ = last_ = now;
  }
  /// Has the worker said hello?
  bool is_ready() const { return is_ready_; }
  Time last() const { return last_; }
  double silent_for(Time now) const { return std::chrono::duration<double>(now - last_).count(); }      ///< seconds
  double connected_for(Time now) const { return std::chrono::duration<double>(now - hello_).count(); }  ///< seconds
  double age(Time now) const { return std::chrono::duration<double>(now - started_).count(); }          ///< seconds

 private:
  Time started_;
  Time hello_;  ///< the last one
  Time last_;
  bool is_ready_ = false;
};

/// Reason for which a worker is ended, and the time after which it is made to end.
class Sentence {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The first reason counts. @return is this the first?
  bool pass(const Ending& reason) {
    if (reason_) return false;
    reason_ = reason;
    return true;
  }
  const std::optional<Ending>& reason() const { return reason_; }
  /// The earliest moment counts.
  void end_by(Time moment) {
    if (!kill_at_ || moment < *kill_at_) kill_at_ = moment;
  }
  bool is_due(Time now) const { return kill_at_ && now >= *kill_at_; }

 private:
  std::optional<Ending> reason_;
  std::optional<Time> kill_at_;
};

}  // namespace dlrun::executor
