// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is closed with its object.
#pragma once
#include <utility>

namespace dlrun {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    fd_ = other.release();
    return *this;
  }

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  /// The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  void close();
  /// Reads and writes return at once from now on.
  void set_nonblocking() const;

 private:
  int fd_ = -1;
};

}  // namespace dlrun
