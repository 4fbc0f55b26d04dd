// SPDX-License-Identifier: Apache-2.0
#include "executor/listener.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.hpp"

namespace dlrun::executor {

namespace {

constexpr std::chrono::seconds kHelloDeadline{5};
constexpr std::size_t kMaxStrangers = 64;

}  // namespace

Listener::Listener(boost::asio::io_context& loop, const std::filesystem::path& socket, Callbacks callbacks)
    : acceptor_(loop), callbacks_(std::move(callbacks)) {
  try {
    acceptor_.open();
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);  // Asio does not; workers must not keep it open
    acceptor_.bind(Protocol::endpoint(socket.string()));
    ::chmod(socket.c_str(), 0600);
    acceptor_.listen(128);
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::outside, "cannot listen on '" + socket.string() + "': " + fault.what());
  }
  accept();
}

void Listener::accept() {
  is_accepting_ = true;
  acceptor_.async_accept([this](boost::system::error_code fault, Protocol::socket socket) {
    is_accepting_ = false;
    if (fault) return;  // at once again would be a busy loop
    meet(std::move(socket));
    accept();
  });
}

void Listener::meet(Protocol::socket socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  Connection::Callbacks callbacks{[this](Connection& from, protocol::Message m) { take(from, std::move(m)); },
                                  [this](Connection& from, const std::string& reason) { lose(from, reason); }};
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(callbacks));
  const Connection::Peer peer = connection->peer();
  const bool has_room = strangers_.size() < kMaxStrangers || callbacks_.expects(peer.pid);
  if (peer.uid != ::getuid() || !has_room) return connection->close();
  strangers_.push_back(connection);
  connection->start();
}

void Listener::take(Connection& from, protocol::Message message) {
  from.is_known ? callbacks_.message(from, std::move(message)) : greet(from, message);
}

void Listener::greet(Connection& from, const protocol::Message& message) {
  const auto* hello = std::get_if<protocol::Hello>(&message);
  std::string fault = "the first message must be hello";
  if (hello != nullptr && hello->protocol != protocol::kProtocolVersion) {
    fault = "protocol " + std::to_string(hello->protocol) + " is spoken there, " +
            std::to_string(protocol::kProtocolVersion) + " here";
  } else if (hello != nullptr) {
    from.is_known = true;
    from.trust();
    fault = callbacks_.hello(from, *hello);
  }
  if (!fault.empty()) {
    from.is_known = false;
    from.send(protocol::Refused{fault});
    from.close();
  }
  forget(from);
}

void Listener::lose(Connection& from, const std::string& reason) {
  forget(from);
  if (from.is_known) callbacks_.closed(from, reason);
}

void Listener::forget(const Connection& stranger) {
  std::erase_if(strangers_, [&](const auto& item) { return item.get() == &stranger; });
}

void Listener::watch() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(strangers_, [&](const auto& stranger) {
    const bool is_slow = now - stranger->opened() > kHelloDeadline;
    if (is_slow) stranger->close();
    return is_slow;
  });
  if (!is_accepting_) accept();
}

}  // namespace dlrun::executor
