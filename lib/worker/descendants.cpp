// SPDX-License-Identifier: Apache-2.0
#include "worker/descendants.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

namespace dlrun::worker {

namespace {

constexpr int kMostRounds = 200;  ///< of killing: a process in an uninterruptible call ends when it can
constexpr int kNapMs = 5;

/// 0: it is gone. The name in parentheses may hold anything.
pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || end + 4 > text.size()) return 0;
  return pid_t(std::strtol(text.c_str() + end + 4, nullptr, 10));  // ") S 17"
}

std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> out;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", fault)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && end == name.data() + name.size()) out[pid] = parent_of(pid);
  }
  return out;
}

}  // namespace

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::set<pid_t> descendants() {
  const std::map<pid_t, pid_t> all = parents();
  std::set<pid_t> out;
  for (std::size_t before = SIZE_MAX; before != out.size();) {
    before = out.size();
    for (const auto& [pid, parent] : all) {
      if (parent == ::getpid() || out.contains(parent)) out.insert(pid);
    }
  }
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

}  // namespace dlrun::worker
