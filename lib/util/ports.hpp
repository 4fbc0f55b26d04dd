// SPDX-License-Identifier: Apache-2.0
// TCP connections between processes of this program that share a secret. A peer that is gone breaks them
// (watch_peer()).
#pragma once
#include <chrono>
#include <string>

#include "util/descriptor.hpp"

namespace dlrun {

struct SocketAddress;

/// A socket that listens at all addresses of this machine, and does not wait in accept_from().
/// @param port  where the system's choice is put    @throws Error(outside)
Descriptor listen_anywhere(int& port);
/// The next connection; closed: there is none.
Descriptor accept_from(const Descriptor& listener);
/// @throws Error(outside), Error(usage) "there is no host …"
Descriptor connect_to(const std::string& host, int port);
/// A socket that waits in its calls; connecting does not wait longer than that.
/// @throws Error(outside) "no answer within 5 s", or why else
Descriptor connect_within(const SocketAddress& address, std::chrono::seconds most);
/// A port of this machine at which nobody listens now. @throws Error(outside)
int free_port();

}  // namespace dlrun
