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

/// A Unix socket, 0600. @throws Error(outside) where it cannot be made.
Acceptor listen_locally(boost::asio::io_context& loop, const std::filesystem::path& socket);

/// TCP. @throws Error(usage) there is no such host; Error(outside) where it cannot be listened on.
Acceptor listen_on(boost::asio::io_context& loop, const HostPort& address);

/// Where others find it: the address itself, or all of this machine's where it listens on all.
std::vector<std::string> addresses_of(Acceptor& acceptor);
int port_of(Acceptor& acceptor);

/// Who is at the other end, "10.0.0.2:41822"; empty where it cannot be said.
std::string peer_text(int socket);

}  // namespace dlrun::executor
