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

/// Of this machine only this user's processes are let in, over the network only who holds the study's key. So many at a
/// time may be unknown, each for five seconds and with a first message of at most 4 KiB; of those that come over the
/// network the oldest makes room for the next, of this machine's the next is sent away.
class Listener {
 public:
  struct Callbacks {
    /// Is this process to be let in even where the places for strangers are taken?
    std::function<bool(std::int64_t pid)> expects;
    /// A peer said hello. Empty: it is known from now on; else it is refused with this reason.
    std::function<std::string(Connection&, const protocol::Hello&)> hello;
    std::function<void(Connection&, protocol::Message)> message;         ///< of a known peer
    std::function<void(Connection&, const std::string& reason)> closed;  ///< of a known peer
    /// A stranger was sent away, or went without a word. @param who its address
    std::function<void(const std::string& who, const std::string& reason)> refused = {};
  };

  /// Of the network's side: its context outlives the listener.
  struct Network {
    const protocol::TlsContext& tls;
    std::size_t places;  ///< for strangers
  };
  /// @param network  none: the peers are processes of this machine
  Listener(Acceptor acceptor, Callbacks callbacks, std::optional<Network> network = {});

  /// To be called now and then: drops slow strangers, accepts again where there were no descriptors left.
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
