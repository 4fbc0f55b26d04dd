// SPDX-License-Identifier: Apache-2.0
#include "executor/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>

#include "executor/acceptors.hpp"
#include "util/error.hpp"

namespace dlrun::executor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kInput = 65536;  ///< bytes that are read at once

}  // namespace

Connection::Connection(Socket socket, Callbacks callbacks, std::unique_ptr<protocol::TlsChannel> tls)
    : socket_(std::move(socket)),
      callbacks_(std::move(callbacks)),
      tls_(std::move(tls)),
      input_(protocol::kMaxFirstFrame, '\0') {
  socket_.non_blocking(true);
  if (is_remote()) address_ = peer_text(socket_.native_handle());
}

Connection::Peer Connection::peer() const {
  if (is_remote()) return {0, ~0U};
  ucred facts{};
  socklen_t size = sizeof facts;
  if (::getsockopt(const_cast<Socket&>(socket_).native_handle(), SOL_SOCKET, SO_PEERCRED, &facts, &size) != 0) {
    return {0, ~0U};
  }
  return {facts.pid, facts.uid};
}

void Connection::start() { read(); }

/// Allows the peer larger messages. The small buffer may go, because the decoder already has what was read into it.
void Connection::trust() {
  decoder_.set_limit(protocol::kMaxFrame);
  input_.resize(kInput);
}

void Connection::read() {
  socket_.async_read_some(asio::buffer(input_), [self = shared_from_this()](error_code fault, std::size_t bytes) {
    if (fault) return self->fail("");  // a crash looks like a reset; the end of the process tells more
    self->receive(bytes);
  });
}

void Connection::receive(std::size_t bytes) {
  try {
    if (tls_) {
      decode(tls_->receive({input_.data(), bytes}));
      flush();
    } else {
      decode({input_.data(), bytes});
    }
  } catch (const Error& fault) {
    return fail(fault.what());
  }
  if (is_open() && tls_ && tls_->has_ended()) return fail("");
  if (is_open()) read();
}

void Connection::decode(std::string_view bytes) {
  decoder_.feed(bytes);
  while (is_open()) {
    auto message = decoder_.next();
    if (!message) break;
    callbacks_.message(*this, std::move(*message));
  }
}

void Connection::send(const protocol::Message& message) {
  if (!is_open()) return;
  if (tls_) return tls_->send(protocol::encode(message));
  output_ += protocol::encode(message);
}

void Connection::flush() {
  if (tls_ && is_open()) output_ += tls_->take_output();
  if (is_writing_ || output_.empty() || !is_open()) return;
  error_code fault;
  const std::size_t written = socket_.write_some(asio::buffer(output_), fault);
  if (fault && fault != asio::error::would_block) return;  // the reading side will notice
  output_.erase(0, written);
  if (!output_.empty()) write_rest();
}

void Connection::write_rest() {
  is_writing_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code fault) {
    self->is_writing_ = false;
    if (!fault) self->flush();
  });
}

void Connection::close() {
  flush();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::fail(const std::string& reason) {
  if (!is_open()) return;
  error_code ignored;
  socket_.close(ignored);
  callbacks_.closed(*this, reason);
}

}  // namespace dlrun::executor
