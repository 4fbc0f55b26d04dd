// SPDX-License-Identifier: Apache-2.0
// The worker's end of the connection to its driver: a Unix socket of this machine, or TCP with TLS and the study's key.
#pragma once
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/rendezvous.hpp"
#include "protocol/tls_channel.hpp"

namespace dlrun::worker {

/// Threads: one may read while any write.
class Wire {
 public:
  /// @throws Error(usage), Error(outside) "cannot reach the driver at …".
  static std::unique_ptr<Wire> to_socket(const std::filesystem::path& path);
  /// Tries the addresses one after another, five seconds each, until one leads to somebody who holds the key.
  /// @throws Error(outside) naming each and what was wrong with it; Error(usage) where the key cannot be used.
  static std::unique_ptr<Wire> to_driver(const protocol::Rendezvous& rendezvous);

  explicit Wire(int socket) : socket_(socket) {}
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Readable where there is something to receive().
  int descriptor() const { return socket_; }
  /// Bytes that came, perhaps none yet; nullopt: the driver is gone. Waits if none are there.
  /// @throws Error(outside) if no driver wrote them.
  std::optional<std::string> receive();
  /// All of it is on its way when it returns. False: the driver is gone (or has taken nothing for 20 s).
  bool write(std::string_view bytes);
  /// Ends reading and writing, for all threads.
  void shut_down();

 private:
  void shake_hands(const protocol::Secret& secret);
  bool write_raw(std::string_view bytes) const;

  int socket_;
  std::mutex mutex_;  ///< guards the channel and the order of writing
  std::unique_ptr<protocol::TlsContext> context_;
  std::unique_ptr<protocol::TlsChannel> tls_;
};

}  // namespace dlrun::worker
