// SPDX-License-Identifier: Apache-2.0
// Memory of this machine and of its processes, as /proc shows it.
#pragma once
#include <sys/types.h>

#include <cstdint>

namespace dlrun {

/// Bytes that programs can have without others losing theirs to the disk; 0: not known.
std::int64_t available_memory();

/// Bytes of memory that a process has held at most; 0 if it is no more.
std::int64_t peak_memory(pid_t pid);

/// Bytes that a process shares with no file; 0 if it is no more.
std::int64_t own_memory(pid_t pid);

/// Lets this process have so many bytes of memory of its own more than it holds by now, and write no core file.
void limit_own_memory(std::int64_t further);

}  // namespace dlrun
