// SPDX-License-Identifier: Apache-2.0
// One peer on the driver's socket, whoever it is. Private to this room: includes Asio.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "protocol/messages.hpp"

namespace dlrun::executor {

/// Reads whole messages, writes queued ones. Lives until closed by either side; callbacks come from the io_context.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  struct Callbacks {
    std::function<void(Connection&, protocol::Message)> message;
    std::function<void(Connection&, const std::string& reason)>
        closed;  ///< once; empty reason: the peer is gone, else it broke the protocol
  };

  Connection(Socket socket, Callbacks callbacks);
  void start();

  /// Queues a message; flush() writes what the socket takes and leaves the rest to the io_context.
  void send(const protocol::Message& message);
  void flush();
  /// Bytes queued that the peer has not taken.
  std::size_t unwritten() const { return output_.size(); }
  /// Writes what is queued, if it goes at once, and closes.
  void close();

  bool is_open() const { return socket_.is_open(); }
  /// Process and user at the other end, as the kernel knows them.
  struct Peer {
    std::int64_t pid = 0;
    unsigned uid = 0;
  };
  Peer peer() const;
  /// Once the peer has said who it is: frames may be larger.
  void trust() { decoder_.set_limit(protocol::kMaxFrame); }
  std::chrono::steady_clock::time_point opened() const { return opened_; }

  std::int64_t owner = -1;  ///< the worker's or client's number, kept by the executor
  bool is_worker = false;
  bool is_known = false;  ///< it has said hello

 private:
  void read();
  void take(std::size_t bytes);
  void write_rest();
  void fail(const std::string& reason);

  Socket socket_;
  Callbacks callbacks_;
  protocol::Decoder decoder_{protocol::kMaxFirstFrame};
  std::array<char, 65536> input_;
  std::string output_;
  bool is_writing_ = false;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

}  // namespace dlrun::executor
