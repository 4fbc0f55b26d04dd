// SPDX-License-Identifier: Apache-2.0
// TLS 1.3 between driver and worker (RFC 8446), without a socket: bytes of the wire in, bytes for the wire out.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "protocol/secret.hpp"

namespace dlrun::protocol {

enum class Side { driver, worker };

/// Keys and settings that all channels of one side share. Both sides prove that they hold the study's key (an external
/// pre-shared key, RFC 8446 4.2.11, with X25519 for forward secrecy); there are no certificates, no tickets, no early
/// data, and one cipher: TLS_AES_128_GCM_SHA256.
class TlsContext {
 public:
  TlsContext(Side side, const Secret& secret);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsChannel;
  struct State;
  std::unique_ptr<State> state_;
};

/// One connection. A driver sends nothing, not even an alert, before its peer has proved the key: who does not hold it
/// learns nothing. Not for two threads at once.
class TlsChannel {
 public:
  /// REQUIRES: the context outlives it. A worker's first bytes are there at once.
  explicit TlsChannel(const TlsContext& context);
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  /// Takes bytes from the wire and returns their plain text, often nothing yet.
  /// @throws Error(outside) where the peer does not hold the key, speaks something else, was tampered with, or has sent
  /// more than kMaxHandshake before it has proved itself. Nothing may be done with the channel afterwards.
  std::string receive(std::string_view bytes);
  /// Encrypts; before both sides have proved themselves it waits for that.
  void send(std::string_view plain);
  /// Bytes to be written to the wire.
  std::string take_output();

  /// Both sides have proved that they hold the key.
  bool is_established() const { return is_established_; }
  /// The peer said that nothing follows.
  bool has_ended() const { return has_ended_; }

  static constexpr std::size_t kMaxHandshake = 4 << 10;  ///< bytes

 private:
  struct State;
  void shake_hands();
  void flush_waiting();
  std::string decrypt();
  [[noreturn]] void fail(const std::string& what);

  std::unique_ptr<State> state_;
  bool is_driver_;
  bool is_established_ = false;
  bool has_ended_ = false;
  bool is_broken_ = false;
  std::size_t handshake_bytes_ = 0;
  std::string waiting_;
};

}  // namespace dlrun::protocol
