// SPDX-License-Identifier: Apache-2.0
// Pieces under way that are far behind. Pure: callers pass the time.
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

/// Expects of a piece the time of finished pieces with as many epochs; if fewer than kLeast of those have finished, the
/// time of all. The time is the median per epoch or per tick of the logical clock, whichever expects more, because a
/// wider model need not take longer. Attempts that may have begun further on do not count. No decision here changes a
/// result.
class Stragglers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLeast = 3;   ///< finished pieces, before anything is expected
  static constexpr std::size_t kMost = 256;  ///< the newest, that are remembered

  /// An attempt that is far behind.
  struct Late {
    executor::AttemptKey attempt;
    double seconds = 0;   ///< seconds so far
    double expected = 0;  ///< seconds that a piece like it takes
  };

  /// @param rules  none: no attempt is ever late
  explicit Stragglers(std::optional<spec::Speculation> rules) : rules_(rules) {}

  bool is_off() const { return !rules_; }
  /// Notes that a worker was given the piece. REQUIRES: !is_off(). @param ticks  its planned length
  void begin(const study::StartPiece& piece, study::Tick ticks, Clock::time_point now);
  /// Notes how long a piece of an earlier run took. @param ticks  its planned length
  void learn(const study::StartPiece& piece, study::Tick ticks, double seconds);
  /// Does a result say what its piece takes from beginning to end?
  static bool is_whole(const trial::PieceResult& result);
  /// Notes that the result of an attempt came.
  void finish(const trial::PieceResult& result);
  /// Forgets an attempt that no worker has any more.
  void forget(const executor::AttemptKey& attempt) { running_.erase(attempt); }
  /// The attempt that is furthest behind among those that may be copied; nullopt: none is far behind.
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
