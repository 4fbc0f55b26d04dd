// SPDX-License-Identifier: Apache-2.0
#include "executor/acceptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/system/system_error.hpp>

#include "util/error.hpp"

namespace dlrun::executor {

namespace asio = boost::asio;
using Protocol = asio::generic::stream_protocol;

namespace {

constexpr int kQueue = 128;          ///< connections that the kernel keeps until they are accepted
constexpr int kNetworkQueue = 1024;  ///< the same on the network: a whole cluster comes at once

void open(Acceptor& acceptor, const Protocol::endpoint& endpoint) {
  acceptor.open(endpoint.protocol());
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);  // Asio leaves it open for workers
  acceptor.non_blocking(true);
}

/// Message of a fault, without the place in Boost's sources that Boost's exceptions add.
std::string reason_of(const std::exception& fault) {
  const auto* system = dynamic_cast<const boost::system::system_error*>(&fault);
  return system ? system->code().message() : fault.what();
}

SocketAddress address_of(const Protocol::endpoint& endpoint) {
  SocketAddress out;
  out.size = static_cast<socklen_t>(endpoint.size());
  std::copy_n(static_cast<const char*>(static_cast<const void*>(endpoint.data())), endpoint.size(),
              static_cast<char*>(static_cast<void*>(&out.bytes)));
  return out;
}

SocketAddress address_of(Acceptor& acceptor) { return address_of(acceptor.local_endpoint()); }

}  // namespace

Acceptor listen_locally(asio::io_context& loop, const std::filesystem::path& socket) {
  try {
    Acceptor acceptor(loop);
    const asio::local::stream_protocol::endpoint place(socket.string());
    open(acceptor, place);
    acceptor.bind(place);
    ::chmod(socket.c_str(), 0600);
    acceptor.listen(kQueue);
    return acceptor;
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::outside, "cannot listen on '" + socket.string() + "': " + reason_of(fault));
  }
}

Acceptor listen_on(asio::io_context& loop, const HostPort& address) {
  const SocketAddress place = resolve(address).front();
  try {
    Acceptor acceptor(loop);
    const Protocol::endpoint endpoint(place.get(), place.size, IPPROTO_TCP);
    open(acceptor, endpoint);
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen(kNetworkQueue);
    return acceptor;
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::outside, "cannot listen on " + to_text(address) + ": " + reason_of(fault),
                "another port or address may do; without a port the system chooses one that is free");
  }
}

std::vector<std::string> addresses_of(Acceptor& acceptor) {
  const SocketAddress place = address_of(acceptor);
  if (is_wildcard(place)) return own_addresses();
  return {numeric(place).host};
}

int port_of(Acceptor& acceptor) { return numeric(address_of(acceptor)).port; }

std::string peer_text(int socket) {
  SocketAddress peer;
  peer.size = sizeof peer.bytes;
  if (::getpeername(socket, peer.get(), &peer.size) != 0) return {};
  return to_text(numeric(peer));
}

}  // namespace dlrun::executor
