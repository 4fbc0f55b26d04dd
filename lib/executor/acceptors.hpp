// SPDX-License-Identifier: Apache-2.0
// Sockets that listen. Private to this room: includes Asio.
#pragma once
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "util/network.hpp"

namespace dlrun::executor {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

/// A Unix socket, 0600. @throws Error(outside) if it cannot be made.
Acceptor listen_locally(boost::asio::io_context& loop, const std::filesystem::path& socket);

/// TCP. @throws Error(usage) there is no such host; Error(outside) if it cannot be listened on.
Acceptor listen_on(boost::asio::io_context& loop, const HostPort& address);

/// Addresses under which others find the socket: its own, or all of this machine if it listens on all.
std::vector<std::string> addresses_of(Acceptor& acceptor);
int port_of(Acceptor& acceptor);

/// Address of the peer, "10.0.0.2:41822"; empty if it is unknown.
std::string peer_text(int socket);

}  // namespace dlrun::executor
