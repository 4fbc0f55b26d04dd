// SPDX-License-Identifier: Apache-2.0
#include "programs/descendants.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <vector>

#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

constexpr int kMostRounds = 200;  ///< rounds of killing: a process in an uninterruptible call ends when it can
constexpr int kNapMs = 5;

}  // namespace

std::set<pid_t> with_descendants(std::set<pid_t> roots) {
  const std::vector<Process> all = processes();
  for (std::size_t before = SIZE_MAX; before != roots.size();) {
    before = roots.size();
    for (const Process& process : all) {
      if (roots.contains(process.parent)) roots.insert(process.pid);
    }
  }
  return roots;
}

std::set<pid_t> descendants() {
  std::set<pid_t> out = with_descendants({::getpid()});
  out.erase(::getpid());
  return out;
}

void end_descendants(const std::set<pid_t>& spared) {
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_any_left = false;
    for (const pid_t pid : descendants()) {
      if (spared.contains(pid)) continue;
      ::kill(pid, SIGKILL);
      is_any_left |= ::waitpid(pid, nullptr, WNOHANG) != pid;
    }
    if (!is_any_left) return;
    ::poll(nullptr, 0, kNapMs);
  }
}

void kill_descendants() {
  for (const pid_t pid : descendants()) ::kill(pid, SIGKILL);
}

}  // namespace dlrun::programs
