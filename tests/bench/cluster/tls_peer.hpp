// SPDX-License-Identifier: Apache-2.0
// A worker's connection over the network, of which one thread can hold thousands: never waits.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages.hpp"
#include "protocol/tls_channel.hpp"
#include "util/network.hpp"

namespace dlrun::cluster {

class TlsPeer {
 public:
  /// Begins to connect. @throws Error(outside) where there are no more descriptors.
  TlsPeer(const protocol::TlsContext& context, const SocketAddress& address);
  ~TlsPeer();
  TlsPeer(TlsPeer&& other) noexcept;
  TlsPeer& operator=(TlsPeer&& other) noexcept;
  void close();

  int descriptor() const { return socket_; }
  /// What came. @throws Error where the driver hung up or wrote nonsense.
  std::vector<protocol::Message> receive();
  void send(std::string_view frames) { tls_->send(frames); }
  /// Writes what the socket takes. @return is all of it on its way?
  bool flush();

 private:
  std::unique_ptr<protocol::TlsChannel> tls_;
  protocol::Decoder decoder_;
  std::string output_;
  int socket_ = -1;
};

}  // namespace dlrun::cluster
