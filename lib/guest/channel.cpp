// SPDX-License-Identifier: Apache-2.0
#include "guest/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::guest {

namespace {

/// Waits until the socket is ready. False: the deadline is over.
bool wait_for(int fd, short events, std::optional<Deadline> deadline) {
  using std::chrono::milliseconds;
  while (true) {
    const auto left =
        deadline ? std::chrono::ceil<milliseconds>(*deadline - std::chrono::steady_clock::now()).count() : 60'000;
    if (left <= 0) return false;
    pollfd item{fd, events, 0};
    if (::poll(&item, 1, int(std::min<std::int64_t>(left, 60'000))) > 0) return true;
  }
}

bool is_not_ready(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

void append_frame(std::string& bytes, const Json& message) {
  const std::size_t at = bytes.size();
  bytes.append(sizeof(std::uint32_t), '\0');
  Json::to_msgpack(message, bytes);
  const std::size_t count = bytes.size() - at - sizeof(std::uint32_t);
  if (count > kMostBytes)
    throw Error(ErrorKind::outside, fmt::format("a message of {} bytes is longer than {}", count, kMostBytes));
  const auto length = std::uint32_t(count);
  std::memcpy(bytes.data() + at, &length, sizeof length);
}

Outcome Channel::send(std::string_view bytes, std::optional<Deadline> deadline) {
  while (!bytes.empty()) {
    const ssize_t done = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done > 0) bytes.remove_prefix(std::size_t(done));
    if (done >= 0) continue;
    if (!is_not_ready(errno)) return Outcome::closed;
    if (!wait_for(socket_.fd(), POLLOUT, deadline)) return Outcome::late;
  }
  return Outcome::done;
}

Outcome Channel::receive(Json& message, std::optional<Deadline> deadline) {
  std::array<char, 65536> part;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  while (true) {
    if (promised().value_or(0) > kMostBytes) return Outcome::too_long;
    try {
      if (next_frame(message)) return Outcome::done;
    } catch (const Json::exception&) {
      return Outcome::damaged;
    }
    const ssize_t got = ::recv(socket_.fd(), part.data(), part.size(), MSG_DONTWAIT);
    if (got > 0) bytes_.append(part.data(), std::size_t(got));
    if (got > 0) continue;
    if (got == 0 || !is_not_ready(errno)) return Outcome::closed;
    if (!wait_for(socket_.fd(), POLLIN, deadline)) return Outcome::late;
  }
}

std::optional<std::uint32_t> Channel::promised() const {
  std::uint32_t length = 0;
  if (bytes_.size() - begin_ < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes_.data() + begin_, sizeof length);
  return length;
}

bool Channel::next_frame(Json& message) {
  const auto length = promised();
  if (!length || bytes_.size() - begin_ - sizeof *length < *length) return false;
  message = Json::from_msgpack(std::string_view(bytes_).substr(begin_ + sizeof *length, *length));
  begin_ += sizeof *length + *length;
  if (begin_ == bytes_.size()) {
    bytes_.clear();
    begin_ = 0;
  }
  return true;
}

}  // namespace dlrun::guest
