// SPDX-License-Identifier: Apache-2.0
#include "web/server.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>

#include "util/error.hpp"

namespace dlrun::web {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr int kSendBuffer = 128 << 10;      // bytes; in a larger one no progress is seen while a slow line empties it
constexpr std::size_t kMostHead = 8 << 10;  // bytes
constexpr int kMostConnections = 64;
using Handler = std::function<Answer(const Request&)>;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

Request request_of(const http::request<http::empty_body>& message) {
  return {text_of(message.method_string()), text_of(message.target()), text_of(message[http::field::host]),
          text_of(message[http::field::origin]), text_of(message["Sec-Fetch-Site"])};
}

http::response<http::string_body> response_of(Answer answer, const http::request<http::empty_body>& asked) {
  http::response<http::string_body> response{http::status(answer.status), asked.version()};
  response.set(http::field::content_type, answer.type);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  response.body() = std::move(answer.body);
  response.keep_alive(asked.keep_alive());
  response.prepare_payload();
  if (asked.method() == http::verb::head) response.body().clear();
  return response;
}

/// One connection: requests one after the other, until the browser or a deadline ends it. Keeps itself alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Handler& handler, int& open)
      : stream_(std::move(socket)), handler_(handler), open_(open) {
    beast::error_code ignored;
    stream_.socket().set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
    ++open_;
  }
  ~Connection() { --open_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHead);
    parser_->body_limit(0);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code fault, std::size_t) { self->answer(fault); });
  }

 private:
  void answer(beast::error_code fault) {
    if (fault) return;  // the stream closes with its last owner
    response_ = response_of(handler_(request_of(parser_->get())), parser_->get());
    serializer_.emplace(response_);
    write();
  }

  /// Sends as much as the connection takes, and then the rest: a slow line has a deadline for each part.
  void write() {
    stream_.expires_after(kPatience);
    http::async_write_some(stream_, *serializer_, [self = shared_from_this()](beast::error_code fault, std::size_t) {
      if (fault) return;
      if (!self->serializer_->is_done()) return self->write();
      if (self->response_.keep_alive()) self->read();
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHead};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  const Handler& handler_;
  int& open_;
};

}  // namespace

struct Server::Impl {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::signal_set signals{io, SIGINT, SIGTERM, SIGHUP};
  int open = 0;

  void accept(const Handler& handler) {
    acceptor.async_accept([this, &handler](beast::error_code fault, tcp::socket socket) {
      if (fault == asio::error::operation_aborted) return;
      if (!fault && open < kMostConnections) std::make_shared<Connection>(std::move(socket), handler, open)->read();
      accept(handler);
    });
  }
};

Server::Server(std::uint16_t port) : impl_(std::make_unique<Impl>()) {
  const tcp::endpoint place(asio::ip::address_v4::loopback(), port);
  beast::error_code fault;
  impl_->acceptor.open(place.protocol(), fault);
  if (!fault) impl_->acceptor.set_option(asio::socket_base::reuse_address(true), fault);
  if (!fault) impl_->acceptor.bind(place, fault);
  if (!fault) impl_->acceptor.listen(asio::socket_base::max_listen_connections, fault);
  if (fault)
    throw Error(ErrorKind::usage, fmt::format("cannot listen on port {}: {}", port, fault.message()),
                "name another with --port, or none for any that is free");
}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->acceptor.local_endpoint().port(); }

void Server::serve(const std::function<Answer(const Request&)>& answer) {
  impl_->signals.async_wait([this](beast::error_code, int) { impl_->io.stop(); });
  impl_->accept(answer);
  impl_->io.run();
}

}  // namespace dlrun::web
