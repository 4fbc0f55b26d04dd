// SPDX-License-Identifier: Apache-2.0
#include "driver/signals.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace dlrun::driver {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> caught{0};
std::atomic<int> wake{-1};

void on_signal(int) {
  const int saved = errno;
  ++caught;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t done = ::write(wake, &one, sizeof one);
  errno = saved;
}

}  // namespace

SignalCounter::SignalCounter() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  caught = 0;
  wake = fd_;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

SignalCounter::~SignalCounter() {
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  wake = -1;
  ::close(fd_);
}

int SignalCounter::count() const { return caught; }

}  // namespace dlrun::driver
