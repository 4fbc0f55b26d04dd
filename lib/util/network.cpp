// SPDX-License-Identifier: Apache-2.0
#include "util/network.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "util/error.hpp"

namespace dlrun {

namespace {

constexpr int kUnacknowledgedMilliseconds = 20'000;
constexpr int kIdleSeconds = 10;  ///< until the kernel asks whether the peer is still there

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::usage, "'" + text + "' is no address to listen on",
              "write ADDRESS, ADDRESS:PORT, [IPV6]:PORT or :PORT with a port below 65536");
}

int port_of(const std::string& text, const std::string& whole) {
  int port = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (fault != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) refuse(whole);
  return port;
}

SocketAddress copy_of(const sockaddr* address, socklen_t size) {
  SocketAddress out;
  std::memcpy(&out.bytes, address, size);
  out.size = size;
  return out;
}

bool is_reachable(const ifaddrs& item) {
  if (item.ifa_addr == nullptr || (item.ifa_flags & IFF_UP) == 0) return false;
  if (item.ifa_addr->sa_family == AF_INET) return true;
  if (item.ifa_addr->sa_family != AF_INET6) return false;
  return !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(item.ifa_addr)->sin6_addr);
}

}  // namespace

HostPort host_port(const std::string& text) {
  constexpr const char* kLoopback = "127.0.0.1";
  const auto colons = std::count(text.begin(), text.end(), ':');
  const std::size_t last = text.rfind(':');
  if (text.empty() || text.find_first_of(" \t\n/@") != std::string::npos) refuse(text);
  if (text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string::npos || end == 1) refuse(text);
    if (end + 1 == text.size()) return {text.substr(1, end - 1), 0};
    if (text[end + 1] != ':') refuse(text);
    return {text.substr(1, end - 1), port_of(text.substr(end + 2), text)};
  }
  if (colons != 1) return {text, 0};  // a name, IPv4 or bare IPv6
  const std::string host = text.substr(0, last);
  return {host.empty() ? kLoopback : host, port_of(text.substr(last + 1), text)};
}

std::string to_text(const HostPort& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::vector<SocketAddress> resolve(const HostPort& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int fault = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
  if (fault != 0) {
    throw Error(ErrorKind::usage, "there is no host '" + address.host + "': " + ::gai_strerror(fault));
  }
  std::vector<SocketAddress> out;
  for (const addrinfo* item = list; item != nullptr; item = item->ai_next) {
    out.push_back(copy_of(item->ai_addr, item->ai_addrlen));
  }
  ::freeaddrinfo(list);
  return out;
}

HostPort numeric(const SocketAddress& address) {
  char host[NI_MAXHOST] = {};
  char port[NI_MAXSERV] = {};
  const int fault =
      ::getnameinfo(address.get(), address.size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  if (fault != 0) return {};
  return {host, port_of(port, port)};
}

bool is_loopback(const SocketAddress& address) {
  if (address.bytes.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr);
  }
  return ntohl(reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr.s_addr) >> 24 == 127;
}

bool is_wildcard(const SocketAddress& address) {
  if (address.bytes.ss_family == AF_INET6) {
    return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr);
  }
  return reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr.s_addr == INADDR_ANY;
}

std::vector<std::string> own_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  std::vector<std::string> out, loopback;
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    if (!is_reachable(*item)) continue;
    const bool is_v4 = item->ifa_addr->sa_family == AF_INET;
    const SocketAddress address = copy_of(item->ifa_addr, is_v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    (is_loopback(address) ? loopback : out).push_back(numeric(address).host);
  }
  ::freeifaddrs(list);
  out.insert(out.end(), loopback.begin(), loopback.end());
  return out;
}

void watch_peer(int socket) {
  const int on = 1, interval = 5, count = 2;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMilliseconds, sizeof kUnacknowledgedMilliseconds);
}

}  // namespace dlrun
