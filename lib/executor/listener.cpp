// SPDX-License-Identifier: Apache-2.0
#include "executor/listener.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "util/version.hpp"

namespace dlrun::executor {

namespace {

constexpr std::chrono::seconds kHelloDeadline{5};
constexpr std::size_t kMaxStrangers = 64;  ///< strangers of this machine at once

}  // namespace

Listener::Listener(Acceptor acceptor, Callbacks callbacks, std::optional<Network> network)
    : acceptor_(std::move(acceptor)), callbacks_(std::move(callbacks)), network_(network) {
  accept();
}

void Listener::accept() {
  is_accepting_ = true;
  acceptor_.async_accept([this](boost::system::error_code fault, Connection::Socket socket) {
    is_accepting_ = false;
    if (fault) return;  // at once again would be a busy loop
    meet(std::move(socket));
    accept();
  });
}

void Listener::meet(Connection::Socket socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  if (network_) watch_peer(socket.native_handle());
  Connection::Callbacks callbacks{[this](Connection& from, protocol::Message m) { receive(from, std::move(m)); },
                                  [this](Connection& from, const std::string& reason) { lose(from, reason); }};
  auto tls = network_ ? std::make_unique<protocol::TlsChannel>(network_->tls) : nullptr;
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(callbacks), std::move(tls));
  if (connection->is_remote()) make_room();
  if (!has_room(*connection)) return connection->close();
  strangers_.push_back(connection);
  connection->start();
}

/// Sends the oldest stranger away if all places are taken. Whoever holds the key proves it within milliseconds, so the
/// oldest is the least likely to.
void Listener::make_room() {
  if (strangers_.size() < network_->places) return;
  tell_refused(*strangers_.front(), "too many wait to be known");
  strangers_.front()->close();
  strangers_.erase(strangers_.begin());
}

bool Listener::has_room(const Connection& stranger) const {
  if (stranger.is_remote()) return true;
  const Connection::Peer peer = stranger.peer();
  return peer.uid == ::getuid() && (strangers_.size() < kMaxStrangers || callbacks_.expects(peer.pid));
}

void Listener::receive(Connection& from, protocol::Message message) {
  from.is_known ? callbacks_.message(from, std::move(message)) : greet(from, message);
}

void Listener::greet(Connection& from, const protocol::Message& message) {
  const auto* hello = std::get_if<protocol::Hello>(&message);
  std::string fault = "the first message must be hello";
  if (hello != nullptr && hello->protocol != protocol::kProtocolVersion) {
    fault = fmt::format("protocol {} is spoken there (dlrun {}), {} here (dlrun {})", hello->protocol, hello->version,
                        protocol::kProtocolVersion, version());
  } else if (hello != nullptr) {
    from.is_known = true;
    from.trust();
    fault = callbacks_.hello(from, *hello);
  }
  if (!fault.empty()) {
    from.is_known = false;
    from.send(protocol::Refused{fault});
    tell_refused(from, fault);
    from.close();
  }
  forget(from);
}

void Listener::lose(Connection& from, const std::string& reason) {
  if (from.is_known) {
    callbacks_.closed(from, reason);
  } else {
    tell_refused(from, reason);
    forget(from);
  }
}

void Listener::forget(const Connection& stranger) {
  std::erase_if(strangers_, [&](const auto& item) { return item.get() == &stranger; });
}

void Listener::tell_refused(const Connection& stranger, const std::string& reason) const {
  if (callbacks_.refused) callbacks_.refused(stranger.address(), reason);
}

void Listener::watch() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(strangers_, [&](const auto& stranger) {
    const bool is_slow = now - stranger->opened() > kHelloDeadline;
    if (is_slow) tell_refused(*stranger, "said nothing that counts within 5 s");
    if (is_slow) stranger->close();
    return is_slow;
  });
  if (!is_accepting_) accept();
}

}  // namespace dlrun::executor
