// SPDX-License-Identifier: Apache-2.0
// A file that is open, and locked where that is asked for. Private to this room.
#pragma once
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace dlrun::energy {

/// Closed with the object, and its lock given back.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(const std::filesystem::path& path, int flags = O_RDONLY)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// False: another program has the lock, or there is no file.
  bool lock() const { return is_open() && ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

 private:
  int fd_ = -1;
};

}  // namespace dlrun::energy
