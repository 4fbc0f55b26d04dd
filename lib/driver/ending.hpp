// SPDX-License-Identifier: Apache-2.0
// Reasons for which a run ends.
#pragma once
#include <string>
#include <utility>

namespace dlrun::driver {

/// The first reason counts, but a second signal ends the run at once. While a run ends nothing new leaves for workers.
class Ending {
 public:
  enum class By {
    nothing,    ///< the run goes on
    study,      ///< the study has nothing left to do
    person,     ///< `dlrun stop`
    time,       ///< a limit of time that the study sets itself
    signal,     ///< Ctrl-C and its kin
    successor,  ///< another driver takes the study over
    outage      ///< no work can go on
  };

  void begin(By by, std::string reason) {
    if (has_begun()) return;
    by_ = by;
    reason_ = std::move(reason);
  }
  /// Ends the run at once, whatever reason it had to end before.
  void begin_at_once(std::string reason) {
    by_ = By::signal;
    reason_ = std::move(reason);
    is_at_once_ = true;
  }

  bool has_begun() const { return by_ != By::nothing; }
  bool is_at_once() const { return is_at_once_; }
  bool is_interrupted() const { return by_ == By::signal || by_ == By::successor; }
  By by() const { return by_; }
  const std::string& reason() const { return reason_; }

 private:
  By by_ = By::nothing;
  bool is_at_once_ = false;
  std::string reason_;
};

}  // namespace dlrun::driver
