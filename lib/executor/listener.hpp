// SPDX-License-Identifier: Apache-2.0
// The driver's socket: who may connect, and what happens until they have said who they are. Private to this room.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executor/connection.hpp"

namespace dlrun::executor {

/// Only this user's processes are let in; at most 64 at a time may be unknown, each for five seconds and with a first
/// message of at most 4 KiB.
class Listener {
 public:
  struct Callbacks {
    /// Is this process to be let in even where the places for strangers are taken?
    std::function<bool(std::int64_t pid)> expects;
    /// A peer said hello. Empty: it is known from now on; else it is refused with this reason.
    std::function<std::string(Connection&, const protocol::Hello&)> hello;
    std::function<void(Connection&, protocol::Message)> message;         ///< of a known peer
    std::function<void(Connection&, const std::string& reason)> closed;  ///< of a known peer
  };

  /// @throws Error(outside) where the socket cannot be made.
  Listener(boost::asio::io_context& loop, const std::filesystem::path& socket, Callbacks callbacks);

  /// To be called now and then: drops slow strangers, accepts again where there were no descriptors left.
  void watch();

 private:
  using Protocol = boost::asio::local::stream_protocol;

  void accept();
  void meet(Protocol::socket socket);
  void take(Connection& from, protocol::Message message);
  void greet(Connection& from, const protocol::Message& message);
  void lose(Connection& from, const std::string& reason);
  void forget(const Connection& stranger);

  Protocol::acceptor acceptor_;
  Callbacks callbacks_;
  std::vector<std::shared_ptr<Connection>> strangers_;
  bool is_accepting_ = false;
};

}  // namespace dlrun::executor
