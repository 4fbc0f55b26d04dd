// SPDX-License-Identifier: Apache-2.0
#include "gang/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "util/error.hpp"

namespace dlrun::gang {

namespace {

using Socket = asio::generic::stream_protocol::socket;

constexpr std::size_t kAtOnce = 8 << 20;  ///< bytes of a system call; Asio's own limit is 64 KiB
constexpr int kSocketBytes = 4 << 20;     ///< wanted in the kernel; what is granted is the system's affair

/// As many bytes a call as there are.
std::size_t all_at_once(const IoFault& fault, std::size_t) { return fault ? 0 : kAtOnce; }

int family_of(const Descriptor& socket) {
  int family = AF_UNIX;
  socklen_t size = sizeof family;
  ::getsockopt(socket.fd(), SOL_SOCKET, SO_DOMAIN, &family, &size);
  return family;
}

Socket socket_of(asio::io_context& loop, Descriptor descriptor) {
  const asio::generic::stream_protocol protocol(family_of(descriptor), 0);
  Socket socket(loop, protocol, descriptor.release());
  IoFault none;
  socket.set_option(asio::socket_base::send_buffer_size(kSocketBytes), none);
  socket.set_option(asio::socket_base::receive_buffer_size(kSocketBytes), none);
  return socket;
}

class PlainStream final : public Stream {
 public:
  PlainStream(asio::io_context& loop, Descriptor socket) : socket_(socket_of(loop, std::move(socket))) {}

  void read(std::vector<asio::mutable_buffer> into, Done done) override {
    asio::async_read(socket_, into, all_at_once,
                     [done = std::move(done)](const IoFault& fault, std::size_t) { done(fault); });
  }
  void write(std::vector<asio::const_buffer> bytes, Done done) override {
    asio::async_write(socket_, bytes, all_at_once,
                      [done = std::move(done)](const IoFault& fault, std::size_t) { done(fault); });
  }

 private:
  Socket socket_;
};

/// TLS whose handshake is over.
class TlsStream final : public Stream {
 public:
  TlsStream(asio::io_context& loop, Link link)
      : socket_(socket_of(loop, std::move(link.socket))),
        context_(std::move(link.context)),
        tls_(std::move(link.tls)),
        cipher_(kCipherBytes) {}

  void read(std::vector<asio::mutable_buffer> into, Done done) override {
    into_ = std::move(into);
    when_read_ = std::move(done);
    go_on_reading();
  }
  void write(std::vector<asio::const_buffer> bytes, Done done) override {
    out_.clear();
    for (const asio::const_buffer& one : bytes) encrypt({static_cast<const char*>(one.data()), one.size()});
    asio::async_write(socket_, asio::buffer(out_), all_at_once,
                      [done = std::move(done)](const IoFault& fault, std::size_t) { done(fault); });
  }

 private:
  static constexpr std::size_t kCipherBytes = 1 << 20, kPlainAtOnce = 1 << 20;

  void encrypt(std::string_view plain) {
    for (; !plain.empty(); plain.remove_prefix(std::min(kPlainAtOnce, plain.size()))) {
      tls_->send(plain.substr(0, kPlainAtOnce));
      out_ += tls_->take_output();
    }
  }
  /// Never calls back within read(): else a chain of packets that are here already would be a deep recursion.
  void go_on_reading() {
    hand_over();
    if (!into_.empty()) return receive();
    asio::post(socket_.get_executor(), [this] { std::exchange(when_read_, {})(IoFault()); });
  }
  void receive() {
    socket_.async_read_some(asio::buffer(cipher_), [this](const IoFault& fault, std::size_t size) {
      if (fault) return std::exchange(when_read_, {})(fault);
      decrypt({cipher_.data(), size});
    });
  }
  void decrypt(std::string_view cipher) {
    try {
      plain_.erase(0, taken_);
      taken_ = 0;
      plain_ += tls_->receive(cipher);
    } catch (const Error&) {
      return std::exchange(when_read_, {})(asio::error::connection_aborted);  // tampered with
    }
    go_on_reading();
  }
  /// Plain bytes that are here go where they are wanted.
  void hand_over() {
    std::size_t filled = 0;
    for (asio::mutable_buffer& one : into_) {
      const std::size_t size = std::min(one.size(), plain_.size() - taken_);
      std::copy_n(plain_.data() + taken_, size, static_cast<char*>(one.data()));
      taken_ += size;
      one += size;
      if (one.size() > 0) break;
      ++filled;
    }
    into_.erase(into_.begin(), into_.begin() + std::ptrdiff_t(filled));
  }

  Socket socket_;
  std::shared_ptr<const protocol::TlsContext> context_;
  std::unique_ptr<protocol::TlsChannel> tls_;
  std::vector<char> cipher_;
  std::string plain_;  ///< has come; before taken_ it was handed over
  std::size_t taken_ = 0;
  std::string out_;  ///< being written
  std::vector<asio::mutable_buffer> into_;
  Done when_read_;
};

}  // namespace

std::unique_ptr<Stream> make_stream(asio::io_context& loop, Link link) {
  if (link.tls) return std::make_unique<TlsStream>(loop, std::move(link));
  return std::make_unique<PlainStream>(loop, std::move(link.socket));
}

}  // namespace dlrun::gang
