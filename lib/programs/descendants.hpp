// SPDX-License-Identifier: Apache-2.0
// Processes that descend from this one: what a program as a trial left behind, also in a session of its own (setsid),
// where neither its process group nor its parent leads to it. This process has to be a subreaper
// (util/processes.hpp).
#pragma once
#include <sys/types.h>

#include <set>
#include <vector>

namespace dlrun::programs {

/// Children of this process.
std::vector<pid_t> children();
/// Children of this process, and theirs; those that have ended and were not reaped too. One that begins or ends at this
/// moment may be missing.
std::set<pid_t> descendants();
/// All of these processes, and all that descend from them.
std::set<pid_t> with_descendants(std::set<pid_t> roots);

/// Kills all descendants but these, and reaps those that are our children, until there are none.
void end_descendants(const std::set<pid_t>& spared);

/// Kills them once and reaps nothing: for a sudden end of this process, from any thread.
void kill_descendants();

}  // namespace dlrun::programs
