// SPDX-License-Identifier: Apache-2.0
// Workers that join over the network: what a peer that holds the key may do and may not, and what happens to one that
// loses its connection.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "protocol/tls_channel.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/version.hpp"

using namespace dlrun;
using namespace dlrun::executor;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

/// An executor that starts no worker and listens on the loopback.
struct Fixture {
  support::TempFolder folder;
  LocalOptions options;
  std::unique_ptr<LocalExecutor> executor;
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
  /// The next happening of this kind; fails after half a minute.
  template <class T>
  T next() {
    const auto end = Clock::now() + std::chrono::seconds(30);
    while (Clock::now() < end) {
      if (auto found = find<T>()) return *found;
      turn();
    }
    FAIL("it did not happen within half a minute");
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
    const auto end = Clock::now() + std::chrono::seconds(30);
    while (Clock::now() < end) {
      while (auto message = decoder_.next()) {
        if (auto* found = std::get_if<T>(&*message)) return std::move(*found);
      }
      f_.turn();
      if (!read()) return std::nullopt;
    }
    FAIL("it said nothing within half a minute");
    throw 0;
  }

 private:
  bool read() {
    pollfd item{socket_, POLLIN, 0};
    if (::poll(&item, 1, 20) <= 0) return true;
    char buffer[65536];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    decoder_.add(tls_.receive({buffer, static_cast<std::size_t>(got)}));
    flush();
    return true;
  }
  void flush() {
    const std::string bytes = tls_.take_output();
    (void)!::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  Fixture& f_;
  protocol::TlsContext context_;
  protocol::TlsChannel tls_;
  protocol::Decoder decoder_;
  int socket_;
  bool is_welcome_ = false;
};

trial::PieceOrder order(std::int64_t trial) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(trial);
  order.attempt = 1;
  order.to_step = 1;
  return order;
}

trial::PieceResult result_of(const trial::PieceOrder& order) {
  trial::PieceResult result{.key = order.key, .attempt = order.attempt};
  result.reports = {{1, {{"value", 0.5}}}};
  return result;
}

}  // namespace

TEST_CASE("a worker that joins is welcomed, works and leaves", "[executor][remote]") {
  Fixture f;
  f.start();
  Peer peer(f);
  peer.join("one");
  const auto welcome = peer.hear<protocol::Welcome>();
  REQUIRE(welcome);
  CHECK_FALSE(welcome->is_back);
  CHECK(welcome->grace == 1.5);
  const auto ready = f.next<WorkerReady>();
  CHECK(ready.has_joined);
  CHECK(ready.host == "node7");
  f.executor->send(ready.worker, protocol::Assign{order(3)});
  f.executor->flush();
  const auto assign = peer.hear<protocol::Assign>();
  REQUIRE(assign);
  peer.say(protocol::Heartbeat{1, 2});
  CHECK(peer.hear<protocol::Heartbeat>());  // it is there too
  peer.say(protocol::Result{result_of(assign->order)});
  CHECK(f.next<ResultCame>().result.key.member.trial.value == 3);
  peer.say(protocol::Leave{"it is tired"});
  const auto ended = f.next<WorkerEnded>();
  CHECK(ended.is_expected);
  CHECK(ended.host == "node7");
  CHECK_THAT(ended.message, Contains("it is tired"));
  CHECK(f.executor->alive() == 0);
}

TEST_CASE("a worker that comes back goes on with what it had", "[executor][remote]") {
  Fixture f;
  f.start();
  std::optional<Peer> first(std::in_place, f);
  first->be_welcomed("one");
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1)});
  f.executor->send(ready.worker, protocol::Assign{order(2)});
  f.executor->flush();
  REQUIRE(first->hear<protocol::Assign>());
  first->say(protocol::Result{result_of(order(1))});
  f.next<ResultCame>();
  first.reset();
  for (int i = 0; i < 5; ++i) f.turn();
  f.executor->send(ready.worker, protocol::Assign{order(3)});  // while it is away
  f.executor->send(ready.worker, protocol::Abandon{order(2).key, 1});
  Peer second(f);
  second.join("one");
  const auto welcome = second.hear<protocol::Welcome>();
  REQUIRE(welcome);
  CHECK(welcome->is_back);
  CHECK(second.hear<protocol::Assign>()->order.key == order(2).key);  // not the first: that was answered
  CHECK(second.hear<protocol::Assign>()->order.key == order(3).key);
  CHECK(second.hear<protocol::Abandon>()->key == order(2).key);
  CHECK_FALSE(f.find<WorkerReady>());
  CHECK_FALSE(f.find<WorkerEnded>());
  CHECK(f.executor->alive() == 1);
}

TEST_CASE("a worker that stays away is given up, and is another one afterwards", "[executor][remote]") {
  Fixture f;
  f.start();
  {
    Peer peer(f);
    peer.be_welcomed("one");
    const auto ready = f.next<WorkerReady>();
    f.executor->send(ready.worker, protocol::Assign{order(1)});
    f.executor->flush();
    REQUIRE(peer.hear<protocol::Assign>());
  }
  const auto ended = f.next<WorkerEnded>();
  CHECK_FALSE(ended.is_expected);
  CHECK(ended.cause == trial::Cause::worker_lost);
  CHECK_THAT(ended.message, Contains("not heard of for 1.5 s"));
  CHECK(ended.unfinished.size() == 1);
  Peer again(f);
  again.join("one");
  CHECK_FALSE(again.hear<protocol::Welcome>()->is_back);
  CHECK(f.next<WorkerReady>().worker != ended.worker);
}

TEST_CASE("a worker that says nothing loses its connection first", "[executor][remote]") {
  Fixture f;
  f.options.lost_after = 0.3;
  f.start();
  Peer peer(f);
  peer.be_welcomed("one");
  f.next<WorkerReady>();
  CHECK_FALSE(peer.hear<protocol::Refused>());  // hung up
  CHECK_FALSE(f.find<WorkerEnded>());
  CHECK_THAT(f.next<WorkerEnded>().message, Contains("not heard of"));
}

TEST_CASE("of workers that come all at once none is sent away", "[executor][remote]") {
  Fixture f;
  f.start();
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 100; ++i) {
    peers.push_back(std::make_unique<Peer>(f));
    peers.back()->join("session " + std::to_string(i));
  }
  std::size_t known = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(30); known < peers.size() && Clock::now() < end;) {
    f.turn();
    known = 0;
    for (const auto& peer : peers) known += peer->is_welcome() ? 1 : 0;
  }
  CHECK(known == peers.size());
}

TEST_CASE("the key alone is not enough", "[executor][remote]") {
  Fixture f;
  f.start();
  Peer peer(f);
  SECTION("another store is seen") {
    peer.join("one", "another token");
    CHECK_THAT(peer.hear<protocol::Refused>()->reason, Contains("on node7 the store") && Contains("is not seen"));
    CHECK_THAT(f.next<StrangerRefused>().reason, Contains("the store"));
  }
  SECTION("a command") {
    peer.say(protocol::Hello{.version = version(), .role = "control"});
    CHECK_THAT(peer.hear<protocol::Refused>()->reason, Contains("driver's own machine"));
  }
  SECTION("another version") {
    peer.say(protocol::Hello{.version = "9.9", .role = "worker"});
    CHECK_THAT(peer.hear<protocol::Refused>()->reason,
               Contains("worker 9.9 does not fit driver " + std::string(version())));
  }
  SECTION("another protocol") {
    peer.say(protocol::Hello{.protocol = 99, .version = "9.9", .role = "worker"});
    CHECK_THAT(peer.hear<protocol::Refused>()->reason, Contains("protocol 99") && Contains("9.9"));
  }
  SECTION("nonsense, and lengths that are not meant") {
    const std::string text =
        GENERATE(std::string("nonsense that is no frame"), std::string("DLR1\xff\xff\xff\xff\x01", 9),
                 std::string("DLR1\x00\x20\x00\x00\x01", 9), protocol::encode(protocol::Heartbeat{}));
    peer.say(text);
    peer.hear<protocol::Welcome>();
  }
  CHECK_FALSE(peer.hear<protocol::Welcome>());
  CHECK(f.executor->alive() == 0);
}

TEST_CASE("a worker that is known may say no more than a worker does", "[executor][remote]") {
  Fixture f;
  f.start();
  const std::string text = GENERATE(std::string("DLR1\xff\xff\xff\xff\x06", 9), std::string("nonsense"),
                                    protocol::encode(protocol::Control{{{"command", "stop"}}}),
                                    protocol::encode(protocol::Assign{order(1)}));
  Peer peer(f);
  peer.join("one");
  REQUIRE(peer.hear<protocol::Welcome>());
  peer.say(text);
  CHECK_FALSE(peer.hear<protocol::Refused>());  // hung up
  CHECK_FALSE(f.find<ControlAsked>());
}

TEST_CASE("an executor that shuts down waits for nobody who is away", "[executor][remote]") {
  Fixture f;
  f.options.network->grace = 60;
  f.start();
  std::optional<Peer> peer(std::in_place, f);
  peer->be_welcomed("one");
  f.next<WorkerReady>();
  SECTION("away") { peer.reset(); }
  SECTION("there, and ends when told") {
    f.executor->shut_down(milliseconds(5000));
    REQUIRE(peer->hear<protocol::Shutdown>());
    peer.reset();
  }
  for (int i = 0; i < 5; ++i) f.turn();
  f.executor->shut_down(milliseconds(5000));
  CHECK(f.next<WorkerEnded>().is_expected);
  CHECK(f.executor->alive() == 0);
}

TEST_CASE("a key that others may read is not used", "[executor][remote]") {
  Fixture f;
  write_file(f.options.network->key, std::string(32, 'k'), {.mode = 0644});
  CHECK_THROWS_WITH(f.start(), Contains("open to others"));
}
