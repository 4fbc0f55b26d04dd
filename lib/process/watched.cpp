// SPDX-License-Identifier: Apache-2.0
#include "process/watched.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace dlrun::process {

Descriptor descriptor_of(pid_t pid) { return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

Watched::Watched(pid_t pid) : pid_(pid), watch_(descriptor_of(pid)) {}

bool Watched::has_ended() const {
  pollfd item{watch_.fd(), POLLIN, 0};
  return watch_.is_open() ? ::poll(&item, 1, 0) > 0 : ::kill(pid_, 0) != 0;
}

}  // namespace dlrun::process
