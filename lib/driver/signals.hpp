// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin, counted.
#pragma once
#include <csignal>

namespace dlrun::driver {

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted instead of ending the process; afterwards what was there
/// before is there again. One at a time.
class SignalCounter {
 public:
  SignalCounter();
  ~SignalCounter();
  SignalCounter(const SignalCounter&) = delete;
  SignalCounter& operator=(const SignalCounter&) = delete;

  int count() const;
  /// Becomes readable with each signal.
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  struct sigaction before_[3];
};

}  // namespace dlrun::driver
