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

/// Roots, and all of the list that descend from them.
std::set<pid_t> with_descendants(std::set<pid_t> roots, const std::vector<Process>& all) {
  for (std::size_t before = SIZE_MAX; before != roots.size();) {
    before = roots.size();
    for (const Process& process : all) {
      if (roots.contains(process.parent)) roots.insert(process.pid);
    }
  }
  return roots;
}

/// Descendants of this process but these and what descends from them. nullopt: they cannot be listed
Listed all_but(const std::set<pid_t>& spared) {
  const auto all = processes();
  if (!all) return std::nullopt;
  std::set<pid_t> out = with_descendants({::getpid()}, *all);
  out.erase(::getpid());
  for (const pid_t pid : with_descendants(spared, *all)) out.erase(pid);
  return out;
}

}  // namespace

Listed with_descendants(const std::set<pid_t>& roots) {
  const auto all = processes();
  return all ? Listed(with_descendants(roots, *all)) : std::nullopt;
}

Listed children() {
  if (const auto listed = children_of(::getpid())) return std::set<pid_t>(listed->begin(), listed->end());
  const auto all = processes();
  if (!all) return std::nullopt;
  std::set<pid_t> out;
  for (const Process& process : *all) {
    if (process.parent == ::getpid()) out.insert(process.pid);
  }
  return out;
}

Listed descendants() {
  if (has_no_children()) return std::set<pid_t>();
  std::set<pid_t> out;
  std::vector<pid_t> open{::getpid()};
  while (!open.empty()) {
    const auto children = children_of(open.back());
    if (!children) return all_but({});
    open.pop_back();
    for (const pid_t child : *children) {
      if (out.insert(child).second) open.push_back(child);
    }
  }
  return out;
}

void end_descendants(const std::set<pid_t>& spared) {
  for (int round = 0; round < kMostRounds && !has_no_children(); ++round) {
    const Listed left = all_but(spared);
    if (left && left->empty()) return;
    for (const pid_t pid : left.value_or(std::set<pid_t>())) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);  // processes that it has forked since are found by the next round
    }
    ::poll(nullptr, 0, kNapMs);
  }
}

void kill_descendants() {
  Listed all = all_but({});
  if (!all) ::close_range(STDERR_FILENO + 1, ~0U, 0);  // too many are open
  if (!all) all = all_but({});
  for (const pid_t pid : all.value_or(std::set<pid_t>())) ::kill(pid, SIGKILL);
}

}  // namespace dlrun::programs
