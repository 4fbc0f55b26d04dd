// SPDX-License-Identifier: Apache-2.0
#include "worker/wire.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "util/error.hpp"
#include "util/network.hpp"
#include "util/ports.hpp"

namespace dlrun::worker {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kConnectDeadline{5};  ///< for each address, and for its handshake
constexpr timeval kSendDeadline{20, 0};

std::string system_message(int number) { return std::generic_category().message(number); }

int left_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

bool wait_for(int socket, short what, Clock::time_point deadline) {
  pollfd item{socket, what, 0};
  return ::poll(&item, 1, left_until(deadline)) > 0;
}

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorKind::outside, why); }

}  // namespace

Wire::~Wire() { ::close(socket_); }

void Wire::shut_down() { ::shutdown(socket_, SHUT_RDWR); }

std::unique_ptr<Wire> Wire::to_socket(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw Error(ErrorKind::usage, "the socket path '" + path.string() + "' is longer than 107 bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  auto wire = std::make_unique<Wire>(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(wire->socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error(ErrorKind::outside, "cannot reach the driver at '" + path.string() + "': " + system_message(errno));
  }
  return wire;
}

std::unique_ptr<Wire> Wire::to_driver(const protocol::Rendezvous& rendezvous) {
  const protocol::Secret secret = protocol::read_secret(rendezvous.key);
  std::string faults;
  for (const std::string& host : rendezvous.addresses) {
    const HostPort place{host, rendezvous.port};
    try {
      auto wire = std::make_unique<Wire>(connect_within(resolve(place).front(), kConnectDeadline).release());
      ::setsockopt(wire->socket_, SOL_SOCKET, SO_SNDTIMEO, &kSendDeadline, sizeof kSendDeadline);
      wire->shake_hands(secret);
      return wire;
    } catch (const Error& fault) {
      faults += fmt::format("{}{}: {}", faults.empty() ? "" : "; ", to_text(place), fault.what());
    }
  }
  throw Error(ErrorKind::outside,
              fmt::format("cannot reach the driver of '{}': {}", rendezvous.study,
                          faults.empty() ? std::string("its endpoint names no address") : faults),
              "is it running, and does a firewall let this machine through?");
}

void Wire::shake_hands(const protocol::Secret& secret) {
  const auto deadline = Clock::now() + kConnectDeadline;
  context_ = std::make_unique<protocol::TlsContext>(protocol::Side::worker, secret);
  tls_ = std::make_unique<protocol::TlsChannel>(*context_);
  if (!write_raw(tls_->take_output())) fail("the connection broke");
  while (!tls_->is_established()) {
    if (!wait_for(socket_, POLLIN, deadline)) fail("no dlrun answered within 5 s");
    if (!receive()) fail("it hangs up on this worker's key: it is not this study's driver, or has another key");
  }
}

std::optional<std::string> Wire::receive() {
  char buffer[65536];
  const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return std::string();
  if (got <= 0) return std::nullopt;
  const std::string_view bytes(buffer, static_cast<std::size_t>(got));
  if (!tls_) return std::string(bytes);
  const std::lock_guard lock(mutex_);
  std::string plain = tls_->receive(bytes);
  if (!write_raw(tls_->take_output())) return std::nullopt;
  return plain;
}

bool Wire::write(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!tls_) return write_raw(bytes);
  try {
    tls_->send(bytes);
    return write_raw(tls_->take_output());
  } catch (const Error&) {
    return false;
  }
}

bool Wire::write_raw(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace dlrun::worker
