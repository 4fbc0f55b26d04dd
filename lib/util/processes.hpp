// SPDX-License-Identifier: Apache-2.0
// Processes of this machine, as /proc shows them.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace dlrun {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
};

/// All processes of the machine; one that ends meanwhile may be left out.
/// @return nullopt: they cannot be listed, for want of descriptors or memory
std::optional<std::vector<Process>> processes();

/// Children of a process, as the kernel lists them: one may be missing while another one ends.
/// @return nullopt: this kernel has no such lists (CONFIG_PROC_CHILDREN), or as processes()
std::optional<std::vector<pid_t>> children_of(pid_t pid);

/// Is there no process of this number any more?
bool has_ended(pid_t pid);

/// Has this process no child, not even one that has ended and was not reaped?
bool has_no_children();

/// Has the process this file open, and not only to read it? nullopt: that cannot be seen, as by processes()
std::optional<bool> has_open_for_writing(pid_t pid, const std::string& file);

/// Orphans of this process's descendants become its children from now on, not init's.
void become_subreaper();

}  // namespace dlrun
