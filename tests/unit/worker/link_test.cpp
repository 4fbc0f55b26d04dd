// SPDX-License-Identifier: Apache-2.0
// The conversation itself, without a socket, and a server with a driver that is played here.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "support.hpp"
#include "support/catch.hpp"
#include "util/descriptor.hpp"
#include "util/error.hpp"
#include "worker/server.hpp"

namespace link_test {

using namespace dlrun;
using namespace dlrun::worker;
using namespace std::chrono_literals;

namespace {

protocol::Assign assign(int trial) {
  trial::PieceOrder order = order_in("/tmp", Json::object());
  order.key.member.trial = trial::TrialId(trial);
  return {order};
}

trial::PieceResult result_of(const trial::PieceOrder& order) { return {.key = order.key, .attempt = order.attempt}; }

/// A link whose frames are decoded as they are written.
struct Talk {
  std::vector<protocol::Message> said;
  protocol::Decoder decoder;
  Link link;

  explicit Talk(Link::Options options = {}, trial::WorkSetup setup = {})
      : link(std::move(setup), options, [this](std::string_view frames) {
          decoder.feed(frames);
          while (auto message = decoder.next()) said.push_back(std::move(*message));
        }) {}

  void hear(protocol::Message message) {
    std::vector<protocol::Message> messages;
    messages.push_back(std::move(message));
    link.receive(std::move(messages));
  }
  template <class T>
  std::size_t count() const {
    std::size_t count = 0;
    for (const protocol::Message& message : said) count += std::holds_alternative<T>(message) ? 1 : 0;
    return count;
  }
};

/// The driver's end of a Unix socket, for one connection.
class Driver {
 public:
  explicit Driver(const std::filesystem::path& path) : door_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(door_.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(door_.fd(), 1) == 0);
  }

  /// Takes the worker in.
  void welcome(const protocol::Message& reply) {
    peer_ = Descriptor(::accept(door_.fd(), nullptr, nullptr));
    const protocol::Message first = receive();
    hello = std::get<protocol::Hello>(first);
    send(reply);
  }
  void send(const protocol::Message& message) const {
    const std::string frame = protocol::encode(message);
    if (::send(peer_.fd(), frame.data(), frame.size(), MSG_NOSIGNAL) < 0) std::abort();
  }
  /// The next message, heartbeats left out.
  protocol::Message receive() {
    for (;;) {
      while (auto message = decoder_.next()) {
        if (!std::holds_alternative<protocol::Heartbeat>(*message)) return std::move(*message);
      }
      char bytes[4096];
      const ssize_t got = ::recv(peer_.fd(), bytes, sizeof bytes, 0);
      if (got <= 0) throw Error(ErrorKind::outside, "the worker is gone");
      decoder_.feed({bytes, std::size_t(got)});
    }
  }

  protocol::Hello hello;

 private:
  Descriptor door_, peer_;
  protocol::Decoder decoder_;
};

}  // namespace

TEST_CASE("reports go before the result of their piece, never after it", "[worker][link]") {
  Talk talk;
  talk.hear(assign(1));
  const auto order = talk.link.next();
  talk.link.report({1, {}});
  talk.link.step_report({1, {}});
  talk.link.send_telemetry();
  talk.link.report({2, {}});
  talk.link.step_report({2, {}});
  talk.link.send(result_of(*order));
  talk.link.send_telemetry();
  REQUIRE(talk.said.size() == 4);
  CHECK(std::get<protocol::Reported>(talk.said[0]).report.step == 1);
  CHECK(std::holds_alternative<protocol::Watched>(talk.said[1]));
  CHECK(std::get<protocol::Watched>(talk.said[2]).reports.front().step == 2);
  CHECK(std::holds_alternative<protocol::Result>(talk.said[3]));
}

TEST_CASE("a piece ends because its driver, its limit or a signal says so", "[worker][link]") {
  trial::WorkSetup setup;
  setup.time_limit = 10;
  Talk talk({}, setup);
  talk.hear(assign(1));
  const auto order = talk.link.next();
  const auto now = Link::Clock::now();
  SECTION("abandoned") {
    talk.hear(protocol::Abandon{order->key, order->attempt});
    CHECK(talk.link.stop_reason() == StopReason::abandoned);
  }
  SECTION("late, unless the time does not count") {
    talk.link.count_time(false);
    talk.link.stop_late_piece(now + 1h);
    CHECK(talk.link.stop_reason() == StopReason::none);
    talk.link.count_time(true);
    talk.link.stop_late_piece(now + 1h);
    CHECK(talk.link.stop_reason() == StopReason::timeout);
  }
  SECTION("shut down") {
    talk.hear(protocol::Shutdown{5});
    CHECK(talk.link.stop_reason() == StopReason::shutdown);
    CHECK_FALSE(talk.link.is_grace_over(now));
    CHECK(talk.link.is_grace_over(now + 1h));
    CHECK_FALSE(talk.link.next());
    talk.link.wait_for_acks();
    talk.link.leave();
    CHECK(talk.said.empty());  // the driver asked itself
  }
  SECTION("signalled") {
    CHECK(talk.link.ask_by_signal(SIGTERM, now));
    CHECK(talk.link.stop_reason() == StopReason::shutdown);
    std::thread driver([&talk] {
      while (!talk.link.note_hung_up()) std::this_thread::yield();
    });
    talk.link.leave();
    driver.join();
    CHECK(talk.count<protocol::Leave>() == 1);
  }
}

TEST_CASE("another connection hears everything again that was not acknowledged", "[worker][link]") {
  Talk talk({.has_joined = true});
  trial::Runtime runtime;
  runtime.threads = 2;
  talk.link.send(runtime);
  for (const int trial : {1, 2, 3}) talk.hear(assign(trial));
  const auto first = talk.link.next();
  talk.link.send(result_of(*first));
  const auto second = talk.link.next();
  talk.link.send(result_of(*second));
  talk.hear(protocol::Ack{first->key, first->attempt});
  talk.link.next();
  talk.said.clear();
  const auto held = talk.link.held();
  CHECK(held.size() == 2);
  CHECK(held.front().key == assign(3).order.key);
  const bool is_back = GENERATE(false, true);
  talk.link.resume_with({.is_back = is_back});
  CHECK(talk.count<protocol::Prepared>() == 1);
  CHECK(talk.count<protocol::Result>() == 1);
  CHECK((talk.link.stop_reason() == StopReason::abandoned) == !is_back);
  talk.hear(assign(2));  // its result is on the way
  talk.hear(assign(3));  // at hand
  talk.hear(protocol::Shutdown{0});
  CHECK(talk.link.held().size() == 1);
}

TEST_CASE("questions about artifacts wait for a driver that wants the piece", "[worker][link]") {
  Talk talk({.has_joined = true, .is_apart = true});
  talk.hear(assign(1));
  talk.link.next();
  const protocol::Ask ask{std::string(64, 'a')};
  talk.link.say(ask);
  talk.link.resume_with({.is_back = true});
  talk.link.say(ask);  // gets nowhere
  CHECK(talk.count<protocol::Ask>() == 1);
  talk.hear(assign(1));
  CHECK(std::holds_alternative<protocol::Welcome>(*talk.link.hear(false)));
  talk.link.say(ask);
  CHECK(talk.count<protocol::Ask>() == 2);
  talk.hear(protocol::Stored{ask.sha256, "gone"});
  CHECK(std::get<protocol::Stored>(*talk.link.hear(false)).fault == "gone");
  talk.hear(protocol::Shutdown{5});
  CHECK_FALSE(talk.link.hear(false));
  CHECK_THROWS_WITH(talk.hear(protocol::Hello{}), Contains("not for workers"));
  Talk here;
  CHECK_THROWS_WITH(here.hear(protocol::Stored{}), Contains("not for workers"));
}

TEST_CASE("a server passes orders in and results out", "[worker][link]") {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  TempFolder folder;
  const Options options{.socket = folder.path() / "s", .worker = 3};
  Driver driver(options.socket);
  trial::WorkSetup setup;
  setup.study = "played";
  std::thread other([&] {
    driver.welcome(protocol::Welcome{.setup = setup});
    driver.send(assign(1));
    const protocol::Message result = driver.receive();
    driver.send(protocol::Ack{std::get<protocol::Result>(result).result.key, 1});
    driver.send(protocol::Shutdown{5});
  });
  {
    Server server(options);
    CHECK(server.link().setup().study == "played");
    const auto order = server.link().next();
    REQUIRE(order);
    server.link().send(result_of(*order));
    CHECK_FALSE(server.link().next());
    server.link().wait_for_acks();
    other.join();
  }
  CHECK(driver.hello.worker == 3);
  CHECK(driver.hello.session.empty());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("a connection that is refused, or has nobody at its end, says why", "[worker][link]") {
  TempFolder folder;
  const Options options{.socket = folder.path() / "s", .worker = 3};
  Connection nobody(options);
  CHECK_THROWS_WITH(nobody.open({}), Contains("cannot reach the driver"));
  Driver driver(options.socket);
  const auto [reply, words] = GENERATE(
      table<protocol::Message, std::string>({{protocol::Refused{"full"}, "the driver refused this worker: full"},
                                             {protocol::Shutdown{1}, "answered hello with something else"}}));
  std::thread other([&, &reply = reply] { driver.welcome(reply); });
  Connection connection(options);
  CHECK_THROWS_WITH(connection.open({}), Contains(words));
  other.join();
}

TEST_CASE("a connection is broken once its driver is gone, and may be opened again", "[worker][link]") {
  TempFolder folder;
  const Options options{.socket = folder.path() / "s", .worker = 3};
  Connection connection(options);
  for (int round = 0; round < 2; ++round) {
    std::filesystem::remove(options.socket);
    auto driver = std::make_unique<Driver>(options.socket);
    std::thread other([&] {
      driver->welcome(protocol::Welcome{});
      driver->send(protocol::Heartbeat{});
    });
    connection.open({});
    other.join();
    CHECK_FALSE(connection.is_broken());
    CHECK(connection.write(protocol::encode(protocol::Heartbeat{})));
    std::size_t heard = connection.messages().size();
    while (heard < 1 && connection.receive()) heard += connection.messages().size();
    CHECK(heard == 1);
    driver.reset();
    while (connection.receive()) {
    }
    CHECK(connection.is_broken());
    CHECK(connection.write("nowhere"));  // gets nowhere, which is said once
  }
}

}  // namespace link_test
