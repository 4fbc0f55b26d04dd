// SPDX-License-Identifier: Apache-2.0
#include "worker/signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace dlrun::worker {

namespace {

int open_blocked() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
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

bool Signals::wait(int milliseconds) const {
  pollfd item{descriptor(), POLLIN, 0};
  return ::poll(&item, 1, milliseconds) > 0;
}

}  // namespace dlrun::worker
