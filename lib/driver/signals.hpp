// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin, counted.
#pragma once
#include <csignal>

namespace dlrun::driver {

/// How often a person or the machine has asked the run to end.
class Signals {
 public:
  virtual ~Signals() = default;
  virtual int count() const = 0;
};

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted instead of ending the process; afterwards what was there
/// before is there again. One at a time.
class SignalCounter final : public Signals {
 public:
  SignalCounter();
  ~SignalCounter() override;
  SignalCounter(const SignalCounter&) = delete;
  SignalCounter& operator=(const SignalCounter&) = delete;

  int count() const override;
  /// Becomes readable with each signal.
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  struct sigaction before_[3];
};

}  // namespace dlrun::driver
