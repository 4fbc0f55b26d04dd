// SPDX-License-Identifier: Apache-2.0
// Files that are locked by the program that reads a counter. Private to this room.
#pragma once
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

#include "util/descriptor.hpp"

namespace dlrun::energy {

inline Descriptor opened(const std::filesystem::path& path, int flags = O_RDONLY) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
}

/// Takes the lock, which is given back with the descriptor. False: another program has it, or there is no file.
inline bool lock(const Descriptor& file) { return file.is_open() && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0; }

}  // namespace dlrun::energy
