// SPDX-License-Identifier: Apache-2.0
// Processes that descend from this one: what a program as a trial left behind, also in a session of its own (setsid),
// where neither its process group nor its parent leads to it. This process has to be a subreaper
// (util/processes.hpp).
#pragma once
#include <sys/types.h>

#include <optional>
#include <set>

namespace dlrun::programs {

/// nullopt: they cannot be listed, for want of descriptors or memory.
using Listed = std::optional<std::set<pid_t>>;

/// Children of this process.
Listed children();
/// Children of this process, and theirs; those that have ended and were not reaped too. One that begins or ends at this
/// moment may be missing.
Listed descendants();
/// All of these processes, and all that descend from them.
Listed with_descendants(const std::set<pid_t>& roots);

/// Kills all descendants but these and what descends from them, and reaps those that are our children, until there are
/// none. Gives up after a second: some are in a call of the kernel that does not end, or cannot be listed.
void end_descendants(const std::set<pid_t>& spared);

/// Kills them once and reaps nothing: for a sudden end of this process, from any thread. Where too many files are open
/// to list processes, all above 2 are closed first.
void kill_descendants();

}  // namespace dlrun::programs
