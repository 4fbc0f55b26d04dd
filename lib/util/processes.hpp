// SPDX-License-Identifier: Apache-2.0
// Processes of this machine, as /proc shows them.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace dlrun {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
};

/// All processes of the machine; one that ends meanwhile may be left out.
std::vector<Process> processes();

/// Has the process this file open, and not only to read it?
bool has_open_for_writing(pid_t pid, const std::string& file);

/// Orphans of this process's descendants become its children from now on, not init's.
void become_subreaper();

}  // namespace dlrun
