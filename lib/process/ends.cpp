// SPDX-License-Identifier: Apache-2.0
#include "process/ends.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "util/error.hpp"

namespace dlrun::process {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(errno));
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe");
  return ends;
}

}  // namespace

Ends pipe_from_child() {
  const auto [read, write] = make_pipe();
  return {Descriptor(read), Descriptor(write)};
}

Ends pipe_to_child() {
  const auto [read, write] = make_pipe();
  return {Descriptor(write), Descriptor(read)};
}

Ends socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot make a pair of sockets");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor file_in_memory(const std::string& bytes) {
  Descriptor file(::memfd_create("dlrun", MFD_CLOEXEC));
  if (!file.is_open()) fail("cannot make a file in memory");
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t done = ::write(file.fd(), bytes.data() + at, bytes.size() - at);
    if (done < 0) fail("cannot write a file in memory");
    at += std::size_t(done);
  }
  ::lseek(file.fd(), 0, SEEK_SET);
  return file;
}

std::string bytes_of(const Descriptor& file) {
  ::lseek(file.fd(), 0, SEEK_SET);
  std::string all;
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = ::read(file.fd(), part.data(), part.size())) > 0;)
    all.append(part.data(), std::size_t(got));
  return all;
}

}  // namespace dlrun::process
