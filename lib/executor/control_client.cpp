// SPDX-License-Identifier: Apache-2.0
#include "executor/control_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "protocol/messages.hpp"
#include "util/descriptor.hpp"
#include "util/error.hpp"
#include "util/version.hpp"

namespace dlrun::executor {

namespace {

using Clock = std::chrono::steady_clock;

bool connect_to(int fd, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

[[noreturn]] void give_up(const std::string& why) {
  throw Error(ErrorKind::outside, "the driver of this study " + why, "it may be busy with its disk; try again");
}

/// nullopt: the driver ended before it answered.
std::optional<Json> wait_for_reply(int fd, Clock::time_point deadline) {
  protocol::Decoder decoder;
  char buffer[16384];
  for (;;) {
    if (const auto message = decoder.next()) {
      if (const auto* reply = std::get_if<protocol::ControlReply>(&*message))
        return std::optional<Json>(std::in_place, reply->reply);
      if (const auto* refused = std::get_if<protocol::Refused>(&*message)) give_up("refused: " + refused->reason);
      give_up("answered something else");
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd item{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&item, 1, static_cast<int>(left)) <= 0) give_up("did not answer in time");
    const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) return std::nullopt;
    decoder.feed({buffer, static_cast<std::size_t>(got)});
  }
}

}  // namespace

std::optional<Json> ask(const std::string& socket, const Json& request, std::chrono::milliseconds limit) {
  const Descriptor end(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!end.is_open() || !connect_to(end.fd(), socket)) return std::nullopt;
  protocol::Hello hello{.version = version(), .role = "control", .pid = ::getpid()};
  const std::string bytes = protocol::encode(hello) + protocol::encode(protocol::Control{request});
  const ssize_t sent = ::send(end.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  const bool is_gone = sent < 0 && (errno == EPIPE || errno == ECONNRESET);
  if (is_gone) return std::nullopt;  // a worker that it was starting had its socket for a moment longer
  if (sent != static_cast<ssize_t>(bytes.size())) {
    give_up("did not take the request");
  }
  return wait_for_reply(end.fd(), Clock::now() + limit);
}

}  // namespace dlrun::executor
