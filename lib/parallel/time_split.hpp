// SPDX-License-Identifier: Apache-2.0
// How one process of a gang in virtual time spends it. At every instant it does the first of these that holds: it
// computes a gradient; it takes numbers in; a message from it or to it is under way; it waits. So the four add up to
// the time that has passed.
#pragma once
#include <algorithm>

namespace dlrun::parallel {

/// In seconds.
struct Seconds {
  double computing = 0;
  double applying = 0;  ///< takes numbers in: sums and steps
  double transferring = 0;
  double waiting = 0;

  double all() const { return computing + applying + transferring + waiting; }
  Seconds& operator+=(const Seconds& more) {
    computing += more.computing;
    applying += more.applying;
    transferring += more.transferring;
    waiting += more.waiting;
    return *this;
  }
};

/// Times of calls must not fall.
class TimeSplit {
 public:
  void compute(double now, double until) {
    advance(now);
    computes_until_ = until;
  }
  /// From now on it takes numbers in until then, without a break.
  void apply(double now, double until) {
    advance(now);
    applies_until_ = until;
  }
  void set_out(double now) {
    advance(now);
    ++messages_;
  }
  void arrive(double now) {
    advance(now);
    --messages_;
  }
  Seconds at(double now) const {
    TimeSplit then = *this;
    then.advance(now);
    return then.spent_;
  }

 private:
  void advance(double now) {
    const auto spend = [&](double until, double& on) {
      const double end = std::clamp(until, last_, now);
      on += end - last_;
      last_ = end;
    };
    spend(computes_until_, spent_.computing);
    spend(applies_until_, spent_.applying);
    spend(now, messages_ > 0 ? spent_.transferring : spent_.waiting);
  }

  Seconds spent_;
  double last_ = 0, computes_until_ = 0, applies_until_ = 0;
  int messages_ = 0;  ///< under way
};

}  // namespace dlrun::parallel
