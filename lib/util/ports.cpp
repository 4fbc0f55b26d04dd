// SPDX-License-Identifier: Apache-2.0
#include "util/ports.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "util/error.hpp"
#include "util/network.hpp"

namespace dlrun {

namespace {

/// Any port of all addresses, IPv4 included.
SocketAddress anywhere(int family) {
  SocketAddress address;
  address.bytes.ss_family = sa_family_t(family);  // else zeros, which mean any
  address.size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return address;
}

[[noreturn]] void lack(const std::string& what) { throw Error(ErrorKind::outside, what + ": " + std::strerror(errno)); }

}  // namespace

Descriptor listen_anywhere(int& port) {
  const int off = 0;
  int family = AF_INET6;
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) {  // a kernel without IPv6
    family = AF_INET;
    socket = Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  } else {
    ::setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  SocketAddress address = anywhere(family);
  const bool listens = ::bind(socket.fd(), address.get(), address.size) == 0 && ::listen(socket.fd(), SOMAXCONN) == 0 &&
                       ::getsockname(socket.fd(), address.get(), &address.size) == 0;
  if (!listens) lack("cannot listen at a port");
  port = numeric(address).port;
  return socket;
}

Descriptor accept_from(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.is_open()) watch_peer(socket.fd());
  return socket;
}

Descriptor connect_to(const std::string& host, int port) {
  for (const SocketAddress& address : resolve({host, port})) {
    Descriptor socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open() || ::connect(socket.fd(), address.get(), address.size) != 0) continue;
    watch_peer(socket.fd());
    return socket;
  }
  lack("cannot reach " + to_text(HostPort{host, port}));
}

Descriptor connect_within(const SocketAddress& address, std::chrono::seconds most) {
  const auto fail = [](int number) { throw Error(ErrorKind::outside, std::generic_category().message(number)); };
  Descriptor socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) fail(errno);
  const int flags = ::fcntl(socket.fd(), F_GETFL);
  ::fcntl(socket.fd(), F_SETFL, flags | O_NONBLOCK);
  if (::connect(socket.fd(), address.get(), address.size) != 0) {
    if (errno != EINPROGRESS) fail(errno);
    pollfd item{socket.fd(), POLLOUT, 0};
    if (::poll(&item, 1, int(std::chrono::milliseconds(most).count())) <= 0)
      throw Error(ErrorKind::outside, "no answer within " + std::to_string(most.count()) + " s");
    int fault = 0;
    socklen_t size = sizeof fault;
    ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &fault, &size);
    if (fault != 0) fail(fault);
  }
  ::fcntl(socket.fd(), F_SETFL, flags);
  watch_peer(socket.fd());
  return socket;
}

int free_port() {
  int port = 0;
  listen_anywhere(port);
  return port;
}

}  // namespace dlrun
