// SPDX-License-Identifier: Apache-2.0
#include "programs/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "programs/descendants.hpp"

namespace dlrun::programs {

namespace {

void move(pid_t process, const cpu_set_t& cores) {
  std::error_code fault;
  std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task", fault);
  for (; !fault && threads != std::filesystem::directory_iterator(); threads.increment(fault)) {
    const auto thread = static_cast<pid_t>(std::stol(threads->path().filename()));
    ::sched_setaffinity(thread, sizeof cores, &cores);
  }
}

}  // namespace

void move_to_cores_of(pid_t other) {
  cpu_set_t theirs, ours;
  if (::sched_getaffinity(other, sizeof theirs, &theirs) != 0) return;
  if (::sched_getaffinity(0, sizeof ours, &ours) != 0 || CPU_EQUAL(&theirs, &ours)) return;
  move(::getpid(), theirs);
  for (const pid_t process : descendants().value_or(std::set<pid_t>())) move(process, theirs);
}

}  // namespace dlrun::programs
