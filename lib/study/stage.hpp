// SPDX-License-Identifier: Apache-2.0
// Stage of a study's life: it searches, then measures tests, then it is over; people may stop and reopen it.
#pragma once
#include <string>
#include <utility>

namespace dlrun::study {

class Stage {
 public:
  enum class Phase { searching, testing, over };

  Phase phase() const { return phase_; }
  bool is_searching() const { return phase_ == Phase::searching; }
  bool is_testing() const { return phase_ == Phase::testing; }
  bool is_over() const { return phase_ == Phase::over; }
  bool is_stopped() const { return is_stopped_; }
  /// Why the search is over or stopped; empty: it is neither.
  const std::string& reason() const { return reason_; }

  /// A person or a limit of time suspends the search. A stopped search keeps its first reason.
  void stop(const std::string& reason) {
    if (!is_searching() || is_stopped_) return;
    is_stopped_ = true;
    reason_ = reason;
  }
  void resume() {
    if (!is_stopped_) return;
    is_stopped_ = false;
    reason_.clear();
  }
  /// A request of a person gives the search more to do; if it was over, it continues at its last time.
  void reopen() {
    if (!is_searching()) reason_.clear();
    phase_ = Phase::searching;
  }
  /// The search is over. @param wants_test  tests follow
  void end_search(std::string reason, bool wants_test) {
    reason_ = std::move(reason);
    phase_ = wants_test ? Phase::testing : Phase::over;
  }
  void end_tests() { phase_ = Phase::over; }

 private:
  Phase phase_ = Phase::searching;
  bool is_stopped_ = false;
  std::string reason_;
};

}  // namespace dlrun::study
