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

std::set<pid_t> all_descendants() {
  std::set<pid_t> out = with_descendants({::getpid()});
  out.erase(::getpid());
  return out;
}

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

std::vector<pid_t> children() {
  if (auto listed = children_of(::getpid())) return *listed;
  std::vector<pid_t> out;
  for (const Process& process : processes()) {
    if (process.parent == ::getpid()) out.push_back(process.pid);
  }
  return out;
}

std::set<pid_t> descendants() {
  if (has_no_children()) return {};
  std::set<pid_t> out;
  std::vector<pid_t> open{::getpid()};
  while (!open.empty()) {
    const auto children = children_of(open.back());
    if (!children) return all_descendants();
    open.pop_back();
    for (const pid_t child : *children) {
      if (out.insert(child).second) open.push_back(child);
    }
  }
  return out;
}

void end_descendants(const std::set<pid_t>& spared) {
  for (int round = 0; round < kMostRounds && !has_no_children(); ++round) {
    bool is_any_left = false;
    for (const pid_t pid : all_descendants()) {
      if (spared.contains(pid)) continue;
      ::kill(pid, SIGKILL);
      is_any_left |= ::waitpid(pid, nullptr, WNOHANG) != pid;
    }
    if (!is_any_left) return;
    ::poll(nullptr, 0, kNapMs);
  }
}

void kill_descendants() {
  for (const pid_t pid : all_descendants()) ::kill(pid, SIGKILL);
}

}  // namespace dlrun::programs
