// SPDX-License-Identifier: Apache-2.0
// TCP connections between processes of this program that share a secret. A peer that is gone breaks them
// (watch_peer()).
#pragma once
#include <string>

#include "util/descriptor.hpp"

namespace dlrun {

/// A socket that listens at all addresses of this machine, and does not wait in accept_from().
/// @param port  where the system's choice is put    @throws Error(outside)
Descriptor listen_anywhere(int& port);
/// The next connection; closed: there is none.
Descriptor accept_from(const Descriptor& listener);
/// @throws Error(outside), Error(usage) "there is no host …"
Descriptor connect_to(const std::string& host, int port);
/// A port of this machine at which nobody listens now. @throws Error(outside)
int free_port();

}  // namespace dlrun
