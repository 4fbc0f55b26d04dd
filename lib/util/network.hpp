// SPDX-License-Identifier: Apache-2.0
// Addresses and sockets of TCP, for both ends.
#pragma once
#include <sys/socket.h>

#include <string>
#include <vector>

namespace dlrun {

/// Address at which somebody listens.
struct HostPort {
  std::string host;  ///< a name, or an IPv4 or IPv6 address (without brackets)
  int port = 0;      ///< 0: the system chooses one
  bool operator==(const HostPort&) const = default;
};

/// "HOST", "HOST:PORT", ":PORT" (on the loopback), "[::1]:7000", "::1". @throws Error(usage) saying what is wrong.
HostPort host_port(const std::string& text);
/// "10.0.0.1:7000", "[::1]:7000".
std::string to_text(const HostPort& address);

/// Address as the system knows it.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

/// All addresses that the name stands for, best first. @throws Error(usage) "there is no host 'x': …".
std::vector<SocketAddress> resolve(const HostPort& address);
/// Address in numbers.
HostPort numeric(const SocketAddress& address);
bool is_loopback(const SocketAddress& address);
/// Whether the address stands for all addresses of the machine (0.0.0.0, ::).
bool is_wildcard(const SocketAddress& address);

/// Addresses of this machine's interfaces that are up, those that others can reach first, the loopback's last.
std::vector<std::string> own_addresses();

/// A peer that is gone without a word is noticed: what is not acknowledged for 20 s breaks the connection, and what is
/// written leaves at once.
void watch_peer(int socket);

}  // namespace dlrun
