// SPDX-License-Identifier: Apache-2.0
// Which pieces under way are far behind. Pure: the time is told.
#pragma once
#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "driver/dispatcher.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// A piece should take what those of as many epochs took, where kLeast of them have finished, else what all did: the
/// median per epoch or per tick of the logical clock, whichever expects more, for a wider model need not take longer.
/// Attempts that may have begun further on say nothing of that. What this decides never changes a result.
class Stragglers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLeast = 3;   ///< finished pieces, before anything is expected
  static constexpr std::size_t kMost = 256;  ///< the newest, that are remembered

  /// One that is far behind.
  struct Late {
    executor::AttemptKey attempt;
    double seconds = 0;   ///< so far
    double expected = 0;  ///< of a piece like it
  };

  /// @param rules  none: nothing ever is
  explicit Stragglers(std::optional<spec::Speculation> rules) : rules_(rules) {}

  bool is_off() const { return !rules_; }
  /// It has been given to a worker. REQUIRES: not off. @param ticks  its planned length
  void begin(const study::StartPiece& piece, study::Tick ticks, Clock::time_point now);
  /// What a piece of an earlier run took. @param ticks  its planned length
  void learn(const study::StartPiece& piece, study::Tick ticks, double seconds);
  /// Does a result say what its piece takes from beginning to end?
  static bool is_whole(const trial::PieceResult& result);
  /// Its result came.
  void finish(const trial::PieceResult& result);
  /// No worker has it any more.
  void forget(const executor::AttemptKey& attempt) { running_.erase(attempt); }
  /// Of those far behind that may be copied the one that is so most.
  std::optional<Late> worst(Clock::time_point now,
                            const std::function<bool(const executor::AttemptKey&)>& may_be_copied) const;

 private:
  struct Length {
    Length(const study::StartPiece& piece, study::Tick planned)
        : epochs(double(piece.to_step - piece.from_step)), ticks(std::max(double(planned), 1.0)) {}
    double epochs, ticks;
  };
  struct Running {
    Length length;
    Clock::time_point since;
  };
  struct Finished {
    Length length;
    double seconds = 0;
  };
  void learn(const Length& length, double seconds);
  std::optional<double> expected(const Length& length) const;
  std::optional<double> expected(const Length& length, bool is_of_equals) const;

  std::optional<spec::Speculation> rules_;
  std::map<executor::AttemptKey, Running> running_;
  std::deque<Finished> finished_;
};

}  // namespace dlrun::driver
