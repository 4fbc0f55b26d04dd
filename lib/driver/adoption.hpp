// SPDX-License-Identifier: Apache-2.0
// Attempts that an earlier driver gave to workers that joined: a worker may return and continue its attempt. Pure:
// callers pass the time.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "executor/executor.hpp"
#include "study/types.hpp"

namespace dlrun::driver {

/// Attempts that were under way when their driver ended. Workers that joined try to reconnect every half second and say
/// which attempts they hold. An attempt that no worker has brought back when kPatience is over is lost.
class Adoption {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{10};

  /// Waits for these attempts from now on.
  void wait_for(const std::vector<study::StartPiece>& under_way, Clock::time_point now);
  /// Ends the wait for an attempt because a worker holds it. nullopt: the attempt was not waited for.
  std::optional<study::StartPiece> claim(const executor::AttemptKey& attempt);
  /// Ends the wait for an attempt that has ended or is no longer wanted.
  void forget(const executor::AttemptKey& attempt) { waiting_.erase(attempt); }
  /// Attempts that no worker brought back in time, in the order of their decisions; each is returned once.
  std::vector<study::AttemptLost> overdue(Clock::time_point now);
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    study::StartPiece piece;
    std::size_t place = 0;  ///< in the order of decision
  };
  std::map<executor::AttemptKey, Waiting> waiting_;
  Clock::time_point until_{};
};

}  // namespace dlrun::driver
