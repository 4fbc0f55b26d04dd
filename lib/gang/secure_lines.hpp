// SPDX-License-Identifier: Apache-2.0
// The first words between two processes of a gang on different hosts: lines of text under TLS 1.3 with the study's key.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gang/link.hpp"

namespace dlrun::gang {

/// Not a byte is read beyond the line that is asked for, so that afterwards the connection may go on without a cipher.
class SecureLines {
 public:
  /// @param context  of the side that was called (driver), or that calls (worker); says its first words at once
  SecureLines(Descriptor socket, std::shared_ptr<const protocol::TlsContext> context);

  int fd() const { return link_.socket.fd(); }
  /// Takes in at most one record, without waiting for it. @return false: the peer has gone
  /// @throws Error(outside) where the peer does not hold the key
  bool read();
  /// A line that has come.
  std::optional<std::string> next();
  /// Waits for a line. @throws Error(outside) where none comes in time
  std::string await(std::chrono::milliseconds most);
  /// Waits until it is on its way, or for a short time. @throws Error(outside) where the peer has gone
  void say(const std::string& line);

  /// The connection, for what follows the lines. REQUIRES: no line is under way.
  Link leave(bool is_encrypted) &&;

 private:
  std::size_t wanted() const;
  void write_out();

  Link link_;
  std::string record_;  ///< TLS's record under way, as far as it has come
  std::string text_;    ///< plain, not yet taken
};

}  // namespace dlrun::gang
