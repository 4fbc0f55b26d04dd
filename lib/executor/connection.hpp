// SPDX-License-Identifier: Apache-2.0
// One peer on one of the driver's sockets, whoever it is. Private to this room: includes Asio.
#pragma once
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "protocol/messages.hpp"
#include "protocol/tls_channel.hpp"

namespace dlrun::executor {

/// Reads whole messages, writes queued ones. Lives until closed by either side; callbacks come from the io_context.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  struct Callbacks {
    std::function<void(Connection&, protocol::Message)> message;
    std::function<void(Connection&, const std::string& reason)>
        closed;  ///< once; empty reason: the peer is gone, else it broke the protocol
  };

  /// @param tls  of a peer that may be on another machine; none: a process of this one
  Connection(Socket socket, Callbacks callbacks, std::unique_ptr<protocol::TlsChannel> tls = nullptr);
  void start();

  /// Queues a message; flush() writes what the socket takes and leaves the rest to the io_context.
  void send(const protocol::Message& message);
  void flush();
  /// Bytes queued that the peer has not taken.
  std::size_t unwritten() const { return output_.size(); }
  /// Writes what is queued, if it goes at once, and closes.
  void close();

  bool is_open() const { return socket_.is_open(); }
  /// The peer came over the network; it must prove that it holds the study's key before any message of it counts.
  bool is_remote() const { return tls_ != nullptr; }
  /// Process and user at the other end, as the kernel knows them; of a remote peer it knows nothing.
  struct Peer {
    std::int64_t pid = 0;
    unsigned uid = 0;
  };
  Peer peer() const;
  /// Allows larger frames, once the peer has said who it is.
  void trust();
  std::chrono::steady_clock::time_point opened() const { return opened_; }
  /// Address of a remote peer, "10.0.0.2:41822"; empty for others.
  const std::string& address() const { return address_; }

  std::int64_t owner = -1;  ///< the worker's or client's number, kept by the executor
  bool is_worker = false;
  bool is_known = false;  ///< the peer has said hello

 private:
  void read();
  void receive(std::size_t bytes);
  void decode(std::string_view bytes);
  void write_rest();
  void fail(const std::string& reason);

  Socket socket_;
  Callbacks callbacks_;
  std::unique_ptr<protocol::TlsChannel> tls_;
  std::string address_;
  protocol::Decoder decoder_{protocol::kMaxFirstFrame};
  std::string input_;  ///< small while the peer is a stranger
  std::string output_;
  bool is_writing_ = false;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

}  // namespace dlrun::executor
