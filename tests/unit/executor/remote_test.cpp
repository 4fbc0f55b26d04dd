// SPDX-License-Identifier: Apache-2.0
// Workers that join over the network: what a peer that holds the key may do and may not, and what happens to one that
// loses its connection.
#include <thread>

#include "remote_support.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace remote_test {

using namespace dlrun;
using namespace dlrun::executor;

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

// The last step was before the network failed: workers that came back were ended because they seemed to hang.
TEST_CASE("a worker that comes back does not hang because it was away", "[executor][remote]") {
  Fixture f;
  f.options.hang_seconds = 1;
  f.options.network->grace = 60;
  f.start();
  std::optional<Peer> first(std::in_place, f);
  first->be_welcomed("one");
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1)});
  f.executor->flush();
  REQUIRE(first->hear<protocol::Assign>());
  first->say(protocol::Heartbeat{1, 2});
  REQUIRE(first->hear<protocol::Heartbeat>());
  first.reset();
  f.pass(1.2);
  Peer second(f);
  second.be_welcomed("one");
  f.pass(0.4);
  CHECK_FALSE(f.find<WorkerEnded>());
  second.say(protocol::Heartbeat{1, 2});
  CHECK(second.hear<protocol::Heartbeat>());
  for (int i = 0; i < 100 && f.executor->alive() > 0; ++i) {
    second.say(protocol::Heartbeat{1, 2});
    f.pass(0.1);
  }
  CHECK_THAT(f.next<WorkerEnded>().message, Contains("hangs"));  // from its return on
}

// The worker ended its piece within the limit, but its connection was broken at that moment.
TEST_CASE("a result that comes late because its worker was away counts", "[executor][remote]") {
  Fixture f;
  f.options.setup.time_limit = 0.3;
  f.options.overtime = 0.1;
  f.options.network->grace = 60;
  f.start();
  std::optional<Peer> first(std::in_place, f);
  first->be_welcomed("one");
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1)});
  f.executor->flush();
  REQUIRE(first->hear<protocol::Assign>());
  first.reset();
  f.pass(0.8);
  Peer second(f);
  second.be_welcomed("one");
  second.say(protocol::Result{result_of(order(1))});
  f.next<ResultCame>();
  CHECK_FALSE(f.find<WorkerEnded>());
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

TEST_CASE("a worker of another driver says what it holds, and hears what becomes of it", "[executor][remote]") {
  Fixture f;
  f.start();
  std::optional<Peer> peer(std::in_place, f);
  protocol::Hello hello{.version = version(), .role = "worker", .pid = 7, .host = "node7", .session = "one"};
  hello.token = "the token";
  for (const int trial : {1, 2, 3}) hello.holds.push_back({order(trial).key, 1});
  peer->say(hello);
  CHECK(peer->hear<protocol::Welcome>()->is_back);
  peer->say(protocol::Result{result_of(order(3))});  // before it was asked
  const auto ready = f.next<WorkerReady>();
  REQUIRE(ready.holds.size() == 3);
  CHECK(ready.holds[1] == AttemptKey{order(2).key, 1});
  f.next<ResultCame>();
  for (const int trial : {1, 3}) f.executor->send(ready.worker, protocol::Assign{order(trial)});
  f.executor->send(ready.worker, protocol::Abandon{order(2).key, 1});
  f.executor->flush();
  CHECK(peer->hear<protocol::Assign>()->order.key == order(1).key);
  CHECK(peer->hear<protocol::Abandon>()->key == order(2).key);
  SECTION("what it answered before it was asked is not asked again") {
    peer.reset();
    Peer again(f);
    again.say(hello);
    CHECK(again.hear<protocol::Welcome>()->is_back);
    CHECK(again.hear<protocol::Assign>()->order.key == order(1).key);
    CHECK(again.hear<protocol::Abandon>()->key == order(2).key);
    CHECK_FALSE(f.find<WorkerReady>());
  }
  SECTION("when it ends, what it had not answered is open") {
    peer->say(protocol::Leave{"it is tired"});
    CHECK(f.next<WorkerEnded>().unfinished == std::vector<AttemptKey>{ready.holds[0], ready.holds[1]});
  }
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
  for (const auto end = Clock::now() + std::chrono::seconds(300); known < peers.size() && Clock::now() < end;) {
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
    CHECK_THAT(peer.hear<protocol::Refused>()->reason,
               Contains("on node7 the store") && Contains("is not seen") && Contains("--scratch DIR"));
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
  SECTION("one byte more than a stranger may send") {
    peer.say(std::string("DLR1\x01\x10\x00\x00\x01", 9));
    CHECK_FALSE(peer.hear<protocol::Welcome>());
    CHECK_THAT(f.next<StrangerRefused>().reason, Contains("4097 bytes is announced, the limit is 4096"));
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

TEST_CASE("what is still to be read counts as not come, however long it has been there", "[executor][remote]") {
  Fixture f;
  f.start();
  Peer peer(f);
  peer.be_welcomed("one");
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(3)});
  for (int i = 0; i < 50; ++i) f.turn();
  std::string much;  // more than is told at once
  for (int i = 0; i < 25'000; ++i) much += protocol::encode(protocol::Reported{order(3).key, 1, {i, {{"value", 0.5}}}});
  peer.say(much + protocol::encode(protocol::Result{result_of(order(3))}));
  const auto said = Clock::now();
  std::this_thread::sleep_for(milliseconds(300));  // a long round
  int rounds = 0;
  for (f.turn(); !f.find<ResultCame>(); f.turn(), ++rounds) CHECK(f.executor->read_up_to() < said);
  CHECK(rounds > 0);
  while (f.executor->read_up_to() < said) f.turn();
}

}  // namespace remote_test
