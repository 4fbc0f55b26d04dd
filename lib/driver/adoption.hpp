// SPDX-License-Identifier: Apache-2.0
// What an earlier driver had given to workers that joined: their worker may come back and go on. Pure: the time is
// told.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "executor/executor.hpp"
#include "study/types.hpp"

namespace dlrun::driver {

/// Attempts that were under way when their driver ended. Workers that joined try to come back every half second and say
/// what they hold; whoever has not been there when kPatience is over is not waited for, and the attempt is lost.
class Adoption {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{10};

  /// Waits for these from now on.
  void wait_for(const std::vector<study::StartPiece>& under_way, Clock::time_point now);
  /// A worker holds it: it waits no more. nullopt: it did not, and nobody wants it of that worker.
  std::optional<study::StartPiece> claim(const executor::AttemptKey& attempt);
  /// It has ended, or is not wanted any more.
  void forget(const executor::AttemptKey& attempt) { waiting_.erase(attempt); }
  /// Those that nobody came back with in time, in the order they were decided; each is told once.
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
