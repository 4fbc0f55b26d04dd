// SPDX-License-Identifier: Apache-2.0
#include "programs/forks.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "util/error.hpp"
#include "util/json.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

constexpr int kRequests = 3;  ///< descriptor of the interpreter
constexpr int kAskMs = 50;

/// A byte with two descriptors, of which the receiver gets its own.
bool send(int socket, int first, int second) {
  const int descriptors[2] = {first, second};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  char byte = 1;
  iovec bytes{&byte, 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

process::Child begin(const Launch& interpreter, const Descriptor& requests, const Descriptor& output) {
  process::Child child({.arguments = interpreter.arguments,
                        .environment = interpreter.environment,
                        .folder = interpreter.folder,
                        .descriptors = {{-1, 0}, {output.fd(), 1}, {output.fd(), 2}, {requests.fd(), kRequests}},
                        .group = process::Group::own,
                        .dies_with_us = true,
                        .unblocks_signals = true,
                        .default_signals = {SIGPIPE, SIGXFSZ}});
  if (const int fault = child.fault(); fault != 0)
    throw Error(ErrorKind::outside, fmt::format("cannot run '{}' in '{}': {}", interpreter.arguments[0],
                                                interpreter.folder, std::generic_category().message(fault)));
  return child;
}

}  // namespace

Forks::Forks(const Launch& interpreter) : output_(process::file_in_memory()), channel_(Descriptor()) {
  become_subreaper();
  process::Ends sockets = process::socket_pair();
  interpreter_ = begin(interpreter, sockets.theirs, output_);
  spared_.emplace(interpreter_.pid());
  channel_ = Channel(std::move(sockets.ours));
}

std::unique_ptr<Keeper> Forks::start(const Start& start, const std::function<bool()>& wants_end) {
  process::Ends sockets = process::socket_pair();
  const Descriptor file = process::file_in_memory(to_bytes(start));
  if (!send(channel_.fd(), sockets.theirs.fd(), file.fd())) fail();
  const auto line = answer(wants_end);
  if (!line) return nullptr;
  const Json json = parse_json(*line, "an interpreter's answer");
  if (json.contains("fault"))
    throw Error(ErrorKind::outside, "no process for a trial: " + json["fault"].get<std::string>());
  return std::make_unique<Keeper>(process::Watched(json.at("pid").get<pid_t>()), Channel(std::move(sockets.ours)),
                                  start);
}

/// nullopt: the trial is not wanted.
std::optional<std::string> Forks::answer(const std::function<bool()>& wants_end) {
  while (true) {
    if (auto line = channel_.next()) return line;
    pollfd item{channel_.fd(), POLLIN, 0};
    if (::poll(&item, 1, kAskMs) > 0 && !channel_.read()) fail();
    if (wants_end()) break;
  }
  interpreter_ = process::Child();  // no answer may ever come
  return std::nullopt;
}

/// An interpreter that has closed its end of the channel, and lives on, is of no use either.
void Forks::fail() {
  interpreter_.finish();
  const int status = interpreter_.status();
  throw Error(ErrorKind::usage,
              fmt::format("the interpreter {} {} before it could begin a trial",
                          WIFSIGNALED(status) ? "was killed by" : "ended with", process::end_text(status)),
              "it is to import the function's file alone, so nothing there may end it");
}

std::size_t Forks::printed() const {
  struct stat facts {};
  return ::fstat(output_.fd(), &facts) == 0 ? std::size_t(facts.st_size) : 0;
}

std::string Forks::take_output() {
  const std::string all = process::bytes_of(output_);
  return all.substr(std::exchange(taken_, all.size()));
}

}  // namespace dlrun::programs
