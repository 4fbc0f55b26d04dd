// SPDX-License-Identifier: Apache-2.0
// A connection between two processes of a gang.
#pragma once
#include <memory>

#include "protocol/tls_channel.hpp"
#include "util/descriptor.hpp"

namespace dlrun::gang {

/// Within a host sockets that only these two have; between hosts TCP, over which both have proved the study's key.
struct Link {
  Descriptor socket = {};  ///< closed: there is no connection
  std::shared_ptr<const protocol::TlsContext> context = {};
  std::unique_ptr<protocol::TlsChannel> tls = {};  ///< nullptr: bytes go as they are
  bool is_local = true;                            ///< numbers may go through shared memory

  bool is_open() const { return socket.is_open(); }
};

}  // namespace dlrun::gang
