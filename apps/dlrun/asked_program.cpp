// SPDX-License-Identifier: Apache-2.0
#include "asked_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "temporary_folder.hpp"
#include "util/argv.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail_outside(const char* what) {
  throw Error(ErrorKind::outside, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

/// Closed with the object.
struct Descriptor {
  int fd = -1;
  Descriptor() = default;
  explicit Descriptor(int opened) : fd(opened) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

/// Sockets, so that writing to a program that has ended is an error and not a signal.
struct Pair {
  Descriptor ours, theirs;
  Pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_outside("cannot make a pair of sockets");
    ours.fd = ends[0];
    theirs.fd = ends[1];
    ::fcntl(ours.fd, F_SETFL, O_NONBLOCK);
  }
};

/// Prepared launch of a program: after a fork only async-signal-safe calls are allowed.
struct Launch {
  std::vector<char*> arguments, environment;
  const char* folder;
  int input, output, error;  ///< errno of what failed goes to `error`
  pid_t parent;
};

[[noreturn]] void become(const Launch& launch) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool is_placed = ::getppid() == launch.parent && ::dup2(launch.input, 0) == 0 &&
                         ::dup2(launch.output, 1) == 1 && ::chdir(launch.folder) == 0;
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  if (is_placed) ::execvpe(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  const int cause = errno;
  [[maybe_unused]] const ssize_t done = ::write(launch.error, &cause, sizeof cause);
  ::_exit(127);
}

/// One run of the program; killed with its group, and reaped, with the object.
class Conversation {
 public:
  explicit Conversation(const AskedProgram& program)
      : program_(program), name_(program.arguments[0]), deadline_(Clock::now() + program.timeout) {
    Pair error;
    const Launch launch{pointers_to(program.arguments),
                        pointers_to(program.environment),
                        folder_.path().c_str(),
                        question_.theirs.fd,
                        answer_.theirs.fd,
                        error.theirs.fd,
                        ::getpid()};
    pid_ = ::fork();
    if (pid_ == 0) become(launch);
    if (pid_ < 0) fail_outside("cannot start a process");
    ::setpgid(pid_, pid_);
    for (Pair* pair : {&question_, &answer_, &error}) pair->theirs.close();
    require_start(error.ours.fd);
  }
  ~Conversation() { end(); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  std::string run(std::string_view question) {
    while (answer_.ours.fd >= 0) {
      std::array<pollfd, 2> items{pollfd{answer_.ours.fd, POLLIN, 0}, pollfd{question_.ours.fd, POLLOUT, 0}};
      if (::poll(items.data(), items.size(), milliseconds_left()) < 0 && errno != EINTR) fail_outside("cannot wait");
      if (items[1].revents != 0) write_some(question);
      if (items[0].revents != 0) read_some();
    }
    require_success();
    return std::move(text_);
  }

 private:
  void require_start(int error) {
    int cause = 0;
    ::fcntl(error, F_SETFL, 0);
    if (::read(error, &cause, sizeof cause) != ssize_t(sizeof cause)) return;
    end();
    throw Error(ErrorKind::usage, fmt::format("cannot run '{}': {}", name_, std::generic_category().message(cause)));
  }

  /// @throws Error(usage) at the deadline
  int milliseconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left > 0) return int(std::min<std::int64_t>(left, 60'000));
    throw Error(ErrorKind::usage, fmt::format("'{}' has not answered within {} s", name_, program_.timeout.count()),
                "--timeout gives it more");
  }

  void write_some(std::string_view& question) {
    const ssize_t done = ::send(question_.ours.fd, question.data(), question.size(), MSG_NOSIGNAL);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (done > 0) question.remove_prefix(std::size_t(done));
    if (done < 0 || question.empty()) question_.ours.close();  // a program need not read it
  }

  void read_some() {
    char buffer[65536];
    const ssize_t got = ::read(answer_.ours.fd, buffer, sizeof buffer);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return answer_.ours.close();
    text_.append(buffer, std::size_t(got));
    if (text_.size() > program_.limit)
      throw Error(ErrorKind::usage, fmt::format("the answer of '{}' is longer than {} bytes", name_, program_.limit));
  }

  /// The program may go on after it has closed its output.
  int wait_for_end() {
    int status = 0;
    while (true) {
      const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) break;
      ::poll(nullptr, 0, std::min(milliseconds_left(), 5));
    }
    ::kill(-pid_, SIGKILL);  // processes that it left behind
    pid_ = -1;
    return status;
  }

  void require_success() {
    const int status = wait_for_end();
    if (WIFSIGNALED(status))
      throw Error(ErrorKind::usage, fmt::format("'{}' was killed by signal {} ({})", name_, WTERMSIG(status),
                                                ::strsignal(WTERMSIG(status))));
    if (WEXITSTATUS(status) != 0)
      throw Error(ErrorKind::usage, fmt::format("'{}' ended with exit code {}", name_, WEXITSTATUS(status)));
  }

  void end() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  const AskedProgram& program_;
  std::string name_;
  Clock::time_point deadline_;
  TemporaryFolder folder_{"dlrun-ask"};
  Pair question_, answer_;
  pid_t pid_ = -1;
  std::string text_;
};

}  // namespace

std::string ask(const AskedProgram& program, const std::string& question) {
  return Conversation(program).run(question);
}

}  // namespace dlrun::cli
