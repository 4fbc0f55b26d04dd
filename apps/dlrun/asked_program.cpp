// SPDX-License-Identifier: Apache-2.0
#include "asked_program.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "process/child.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::cli {

namespace {

using Clock = std::chrono::steady_clock;

process::Program as_started(const AskedProgram& program, const process::Ends& question, const process::Ends& answer,
                            const std::filesystem::path& folder) {
  return {.arguments = program.arguments,
          .environment = program.environment,
          .folder = folder.string(),
          .descriptors = {{question.theirs.fd(), 0}, {answer.theirs.fd(), 1}},
          .group = process::Group::own,
          .dies_with_us = true,
          .default_signals = {SIGPIPE, SIGXFSZ}};
}

/// One run of the program; killed with its group, and reaped, with the object. Sockets make it an error and no signal
/// to write to a program that has ended.
class Conversation {
 public:
  explicit Conversation(const AskedProgram& program)
      : program_(program), name_(program.arguments[0]), deadline_(Clock::now() + program.timeout) {
    child_ = process::Child(as_started(program, question_, answer_, folder_.path()));
    if (child_.fault() != 0)
      throw Error(is_of_machine(child_.fault()) ? ErrorKind::outside : ErrorKind::usage,
                  fmt::format("cannot run '{}': {}", name_, std::generic_category().message(child_.fault())));
    for (process::Ends* ends : {&question_, &answer_}) {
      ends->theirs.close();
      ends->ours.set_nonblocking();
    }
  }

  std::string hold(std::string_view question) {
    while (answer_.ours.is_open()) {
      std::array<pollfd, 2> items{pollfd{answer_.ours.fd(), POLLIN, 0}, pollfd{question_.ours.fd(), POLLOUT, 0}};
      if (::poll(items.data(), items.size(), milliseconds_left()) < 0 && errno != EINTR)
        throw Error(ErrorKind::outside, "cannot wait: " + std::generic_category().message(errno));
      if (items[1].revents != 0) write_some(question);
      if (items[0].revents != 0) read_some();
    }
    require_success();
    return std::move(text_);
  }

 private:
  /// @throws Error(usage) at the deadline
  int milliseconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left > 0) return int(std::min<std::int64_t>(left, 60'000));
    throw Error(ErrorKind::usage, fmt::format("'{}' has not answered within {} s", name_, program_.timeout.count()),
                "--timeout gives it more");
  }

  void write_some(std::string_view& question) {
    const ssize_t done = ::send(question_.ours.fd(), question.data(), question.size(), MSG_NOSIGNAL);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (done > 0) question.remove_prefix(std::size_t(done));
    if (done < 0 || question.empty()) question_.ours.close();  // a program need not read it
  }

  void read_some() {
    char buffer[65536];
    const ssize_t got = ::read(answer_.ours.fd(), buffer, sizeof buffer);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return answer_.ours.close();
    text_.append(buffer, std::size_t(got));
    if (text_.size() > program_.limit)
      throw Error(ErrorKind::usage, fmt::format("the answer of '{}' is longer than {} bytes", name_, program_.limit));
  }

  /// The program may go on after it has closed its output.
  int wait_for_end() {
    while (!child_.has_ended()) ::poll(nullptr, 0, std::min(milliseconds_left(), 5));
    child_.signal(SIGKILL);  // to what it left behind
    return child_.status();
  }

  void require_success() {
    const int status = wait_for_end();
    if (WIFSIGNALED(status))
      throw Error(ErrorKind::usage, fmt::format("'{}' was killed by {}", name_, process::end_text(status)));
    if (WEXITSTATUS(status) != 0)
      throw Error(ErrorKind::usage, fmt::format("'{}' ended with exit code {}", name_, WEXITSTATUS(status)));
  }

  const AskedProgram& program_;
  std::string name_;
  Clock::time_point deadline_;
  TemporaryFolder folder_{"dlrun-ask"};
  process::Ends question_ = process::socket_pair(), answer_ = process::socket_pair();
  process::Child child_;
  std::string text_;
};

}  // namespace

std::string ask(const AskedProgram& program, const std::string& question) {
  return Conversation(program).hold(question);
}

}  // namespace dlrun::cli
