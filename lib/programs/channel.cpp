// SPDX-License-Identifier: Apache-2.0
#include "programs/channel.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace dlrun::programs {

void Channel::say(std::string_view line) {
  const std::string whole = std::string(line) + '\n';
  std::string_view left = whole;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_.fd(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool Channel::read() {
  char buffer[65536];
  ssize_t got = -1;
  do {
    got = ::recv(socket_.fd(), buffer, sizeof buffer, 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  std::string_view bytes(buffer, static_cast<std::size_t>(got));
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    lines_.push_back(std::exchange(pending_, {}) + std::string(bytes.substr(0, end)));
    bytes.remove_prefix(end + 1);
  }
  pending_ += bytes;
  return true;
}

std::optional<std::string> Channel::next() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

}  // namespace dlrun::programs
