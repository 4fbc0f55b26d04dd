// SPDX-License-Identifier: Apache-2.0
// An executor that listens on the loopback, and peers that hold the key.
#pragma once
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "protocol/tls_channel.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/version.hpp"

namespace dlrun::executor {

using std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

/// An executor that starts no worker and listens on the loopback.
struct Fixture {
  support::TempFolder folder;
  LocalOptions options;
  std::unique_ptr<Hub> executor;
  std::vector<Happening> all;

  Fixture() {
    options.folder = runtime_folder(folder.path().string());
    options.logs = folder.path() / "workers";
    options.setup.trial = {{"kind", "function"}};
    options.setup.parameters = Json::object();
    options.heartbeat = 0.1;
    options.kill_grace = 0.1;
    options.network = NetworkOptions{{"127.0.0.1", 0}, folder / "s.key", "the token", folder.path().string(), 1.5};
  }
  ~Fixture() {
    executor.reset();
    std::error_code none;
    std::filesystem::remove_all(options.folder, none);
  }
  void start() {
    executor = std::make_unique<LocalExecutor>(options);
    executor->start(0);
  }
  void turn() {
    for (Happening& happening : executor->wait(milliseconds(20))) all.push_back(std::move(happening));
  }
  void pass(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) turn();
  }
  template <class T>
  std::optional<T> find() {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!std::holds_alternative<T>(all[i])) continue;
      T found = std::get<T>(all[i]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    return std::nullopt;
  }
  /// The next happening of this kind. Fails where it hangs.
  template <class T>
  T next() {
    const auto end = Clock::now() + std::chrono::seconds(300);
    while (Clock::now() < end) {
      if (auto found = find<T>()) return *found;
      turn();
    }
    FAIL("waited 300 s for a happening of type " << typeid(T).name());
    throw 0;
  }
};

/// A peer that holds the key and says what it is told to say.
class Peer {
 public:
  explicit Peer(Fixture& f)
      : f_(f),
        context_(protocol::Side::worker, protocol::read_secret(f.options.network->key)),
        tls_(context_),
        socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress place = resolve({"127.0.0.1", f.executor->reach()->port}).front();
    REQUIRE(::connect(socket_, place.get(), place.size) == 0);
    flush();
  }
  ~Peer() { ::close(socket_); }

  void say(const std::string& frame) {
    tls_.send(frame);
    flush();
  }
  void say(const protocol::Message& message) { say(protocol::encode(message)); }
  void join(const std::string& session, const std::string& token = "the token") {
    protocol::Hello hello{.version = version(), .role = "worker", .pid = 7, .host = "node7"};
    hello.session = session;
    hello.token = token;
    say(hello);
  }
  /// As one that does not see the store.
  void join_apart() {
    protocol::Hello hello{.version = version(), .role = "worker", .pid = 7, .host = "node7", .session = "apart"};
    hello.is_apart = true;
    say(hello);
    REQUIRE(hear<protocol::Welcome>());
  }
  void be_welcomed(const std::string& session) {
    join(session);
    REQUIRE(hear<protocol::Welcome>());
  }
  /// Takes what is there, without waiting. Was it welcomed?
  bool is_welcome() {
    pollfd item{socket_, POLLIN, 0};
    if (::poll(&item, 1, 0) > 0) REQUIRE(read());
    while (auto message = decoder_.next()) is_welcome_ |= std::holds_alternative<protocol::Welcome>(*message);
    return is_welcome_;
  }
  /// The next message of this kind; nullopt: the driver hung up.
  template <class T>
  std::optional<T> hear() {
    const auto end = Clock::now() + std::chrono::seconds(300);
    while (Clock::now() < end) {
      while (auto message = decoder_.next()) {
        if (auto* found = std::get_if<T>(&*message)) return std::move(*found);
      }
      f_.turn();
      if (!read()) return std::nullopt;
    }
    FAIL("waited 300 s for a message of type " << typeid(T).name());
    throw 0;
  }

 private:
  bool read() {
    pollfd item{socket_, POLLIN, 0};
    if (::poll(&item, 1, 20) <= 0) return true;
    char buffer[65536];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    decoder_.feed(tls_.receive({buffer, static_cast<std::size_t>(got)}));
    flush();
    return true;
  }
  /// The driver reads what the socket does not hold.
  void flush() {
    const std::string bytes = tls_.take_output();
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return;  // it hung up
      if (sent < 0) f_.turn();
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
  }

  Fixture& f_;
  protocol::TlsContext context_;
  protocol::TlsChannel tls_;
  protocol::Decoder decoder_;
  int socket_;
  bool is_welcome_ = false;
};

inline trial::PieceOrder order(std::int64_t trial) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(trial);
  order.attempt = 1;
  order.to_step = 1;
  return order;
}

inline trial::PieceResult result_of(const trial::PieceOrder& order) {
  trial::PieceResult result{.key = order.key, .attempt = order.attempt};
  result.reports = {{1, {{"value", 0.5}}}};
  return result;
}

}  // namespace dlrun::executor
