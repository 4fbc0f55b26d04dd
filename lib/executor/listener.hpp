// SPDX-License-Identifier: Apache-2.0
// A socket of the driver's: who may connect, and what happens until they have said who they are. Private to this room.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/acceptors.hpp"
#include "executor/connection.hpp"

namespace dlrun::executor {

/// Lets in processes of this user on this machine, and from the network whoever holds the study's key. Only so many
/// peers may be unknown at a time, each for five seconds and with a first message of at most 4 KiB. If all places are
/// taken, the oldest stranger from the network makes room for the next; on this machine the next is sent away, unless
/// it is expected.
class Listener {
 public:
  struct Callbacks {
    /// Is this process to be let in even if the places for strangers are taken?
    std::function<bool(std::int64_t pid)> expects;
    /// A peer said hello. Empty: it is known from now on; else it is refused with this reason.
    std::function<std::string(Connection&, const protocol::Hello&)> hello;
    std::function<void(Connection&, protocol::Message)> message;         ///< a known peer sent a message
    std::function<void(Connection&, const std::string& reason)> closed;  ///< a known peer is gone
    /// A stranger was sent away, or went without a word. @param who its address
    std::function<void(const std::string& who, const std::string& reason)> refused = {};
  };

  /// Settings of the network's side; the context outlives the listener.
  struct Network {
    const protocol::TlsContext& tls;
    std::size_t places;  ///< for strangers
  };
  /// @param network  none: the peers are processes of this machine
  Listener(Acceptor acceptor, Callbacks callbacks, std::optional<Network> network = {});

  /// Drops slow strangers, and accepts again if there were no descriptors left; to be called now and then.
  void watch();

 private:
  void accept();
  void meet(Connection::Socket socket);
  void make_room();
  bool has_room(const Connection& stranger) const;
  void receive(Connection& from, protocol::Message message);
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
