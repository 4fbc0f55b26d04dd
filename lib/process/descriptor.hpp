// SPDX-License-Identifier: Apache-2.0
// Descriptors that are closed with their objects and on exec: a child that another thread starts never inherits them.
#pragma once
#include <string>
#include <utility>

namespace dlrun::process {

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

/// Two connected ends: of a pipe, or of a pair of sockets.
struct Ends {
  Descriptor ours, theirs;
};

/// The child writes. @throws Error(outside), as all of these
Ends pipe_from_child();
/// The child reads.
Ends pipe_to_child();
/// Sockets in both directions: a write to a child that has ended is an error and not a signal.
Ends socket_pair();
/// A file in memory with these bytes, to be read from its beginning. Neither side waits for the other, as with pipes.
Descriptor file_in_memory(const std::string& bytes = {});
/// All bytes of a file, from its beginning.
std::string bytes_of(const Descriptor& file);

}  // namespace dlrun::process
