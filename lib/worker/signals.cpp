// SPDX-License-Identifier: Apache-2.0
#include "worker/signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace dlrun::worker {

namespace {

constexpr std::array kNumbers = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

int open_blocked() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kNumbers) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

Signals::Signals() : descriptor_(open_blocked()) {}

int Signals::next() {
  signalfd_siginfo facts{};
  [[maybe_unused]] const ssize_t got = ::read(descriptor(), &facts, sizeof facts);
  return static_cast<int>(facts.ssi_signo);
}

bool Signals::is_pending() {
  sigset_t set;
  sigpending(&set);
  return std::any_of(kNumbers.begin(), kNumbers.end(), [&](int number) { return sigismember(&set, number) == 1; });
}

bool Signals::wait(int milliseconds) const {
  pollfd item{descriptor(), POLLIN, 0};
  return ::poll(&item, 1, milliseconds) > 0;
}

}  // namespace dlrun::worker
