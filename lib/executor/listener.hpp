// SPDX-License-Identifier: Apache-2.0
// Listening socket of the driver: who may connect, and the checks until a peer has said hello. Private to this room.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/acceptors.hpp"
#include "executor/connection.hpp"

namespace dlrun::executor {

/// Admits processes of this user on this machine, and holders of the study's key over the network. A limited number of
/// peers may be strangers at a time, each for five seconds and with a first message of at most 4 KiB. On the network
/// the oldest stranger makes room for the next; on this machine the next is refused.
class Listener {
 public:
  struct Callbacks {
    /// Is this process admitted even if the places for strangers are taken?
    std::function<bool(std::int64_t pid)> expects;
    /// A peer said hello. Empty: it is admitted; else it is refused with this reason.
    std::function<std::string(Connection&, const protocol::Hello&)> hello;
    std::function<void(Connection&, protocol::Message)> message;         ///< from an admitted peer
    std::function<void(Connection&, const std::string& reason)> closed;  ///< by an admitted peer
    /// A stranger was refused, or left without a hello. @param who its address
    std::function<void(const std::string& who, const std::string& reason)> refused = {};
  };

  /// Network side; its context outlives the listener.
  struct Network {
    const protocol::TlsContext& tls;
    std::size_t places;  ///< limit of strangers
  };
  /// @param network  none: peers are processes of this machine
  Listener(Acceptor acceptor, Callbacks callbacks, std::optional<Network> network = {});

  /// Drops slow strangers, and accepts again after a lack of descriptors. Call it now and then.
  void watch();

 private:
  void accept();
  void meet(Connection::Socket socket);
  void make_room();
  bool has_room(const Connection& stranger) const;
  void take(Connection& from, protocol::Message message);
  void greet(Connection& from, const protocol::Message& message);
  void lose(Connection& from, const std::string& reason);
  void forget(const Connection& stranger);
  void tell_refused(const Connection& stranger, const std::string& reason) const;

  Acceptor acceptor_;
  Callbacks callbacks_;
  std::optional<Network> network_;
  std::vector<std::shared_ptr<Connection>> strangers_;
  bool is_accepting_ = false;
};

}  // namespace dlrun::executor
