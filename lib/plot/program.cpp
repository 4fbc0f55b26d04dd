// SPDX-License-Identifier: Apache-2.0
#include "plot/program.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "util/error.hpp"

namespace dlrun::plot {

namespace {

constexpr int kDeadline = 60'000;  // milliseconds

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(errno));
}

/// Bytes that a child reads or writes as a file: no pipe that could fill up while we wait for its end.
class Scratch {
 public:
  explicit Scratch(const std::string& bytes = {}) : fd_(::memfd_create("dlrun-plot", MFD_CLOEXEC)) {
    if (fd_ < 0) fail("cannot make a file in memory");
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t done = ::write(fd_, bytes.data() + at, bytes.size() - at);
      if (done < 0) fail("cannot write a file in memory");
      at += std::size_t(done);
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  ~Scratch() { ::close(fd_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  int fd() const { return fd_; }
  std::string bytes() const {
    ::lseek(fd_, 0, SEEK_SET);
    std::string all;
    std::array<char, 65536> part{};
    for (ssize_t got = 0; (got = ::read(fd_, part.data(), part.size())) > 0;) all.append(part.data(), std::size_t(got));
    return all;
  }

 private:
  int fd_;
};

/// Exit status of a child that has ended; past the deadline it is killed.
int end_of(pid_t child) {
  const int watch = int(::syscall(SYS_pidfd_open, child, 0));
  pollfd ended{watch, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&ended, 1, kDeadline)) < 0 && errno == EINTR) continue;
  if (ready == 0) ::kill(child, SIGKILL);
  if (watch >= 0) ::close(watch);
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

std::optional<Said> run_program(std::vector<std::string> arguments, const std::string& input) {
  const Scratch in(input), out, error;
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, error.fd(), STDERR_FILENO);
  pid_t child = -1;
  const int fault = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault == ENOENT) return std::nullopt;
  if (fault != 0) {
    throw Error(ErrorKind::outside, "cannot start " + arguments[0] + ": " + std::generic_category().message(fault));
  }
  const int status = end_of(child);
  return Said{WIFEXITED(status) && WEXITSTATUS(status) == 0, out.bytes(), error.bytes()};
}

}  // namespace dlrun::plot
