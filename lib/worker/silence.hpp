// SPDX-License-Identifier: Apache-2.0
// How long a program has said nothing (limits.silence).
#pragma once
#include <chrono>
#include <string>

#include <fmt/format.h>

namespace dlrun::worker {

class Silence {
 public:
  /// @param limit  seconds, counted from now; 0: none
  explicit Silence(double limit) : limit_(limit) {}

  /// The program has printed or reported something.
  void end() { begin_ = Clock::now(); }
  /// Once true, it stays so.
  bool is_too_long() {
    const std::chrono::duration<double> silence = Clock::now() - begin_;
    return is_too_long_ = is_too_long_ || (limit_ > 0 && silence.count() > limit_);
  }
  bool was_too_long() const { return is_too_long_; }
  std::string text() const {
    return fmt::format("the program hangs: it printed and reported nothing for {:g} s (limits.silence)", limit_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  double limit_;
  bool is_too_long_ = false;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace dlrun::worker
