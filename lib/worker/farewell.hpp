// SPDX-License-Identifier: Apache-2.0
// How a worker ends in order: its driver says so, or a signal does and the worker tells the driver.
#pragma once
#include <chrono>
#include <optional>
#include <string>

namespace dlrun::worker {

/// The grace of a worker that was asked to end, and its goodbye to a driver that did not ask.
class Farewell {
 public:
  using Clock = std::chrono::steady_clock;

  /// The driver asks for the end, and waits so many seconds for it.
  void ask(double grace, Clock::time_point now);
  /// A signal asks for the end. A notice (SIGUSR1) says that a job's time ends soon; it is no haste, and may come
  /// again.
  /// @return false: a signal that is no notice came before, so the worker is to end at once
  bool ask_by_signal(int number, Clock::time_point now);

  bool is_asked() const { return end_.has_value(); }
  /// End of the grace, if the worker was asked to end.
  std::optional<Clock::time_point> end() const { return end_; }
  bool is_over(Clock::time_point now) const { return end_ && now >= *end_; }

  /// The reason that the driver is to be told; empty: it asked itself.
  const std::string& reason() const { return reason_; }
  void note_said() { is_said_ = true; }
  /// The connection has ended. @return whether it did so after the goodbye, so that nobody is to be found again
  bool note_hung_up() { return is_heard_ = is_said_; }
  /// The driver has heard the goodbye.
  bool is_heard() const { return is_heard_; }

 private:
  std::optional<Clock::time_point> end_;
  std::string reason_;
  bool is_hurried_ = false;  ///< by a signal that is no notice; one more ends the worker at once
  bool is_said_ = false, is_heard_ = false;
};

}  // namespace dlrun::worker
