// SPDX-License-Identifier: Apache-2.0
// The parts of a worker's end of the conversation with its driver, each made without the others.
#include <poll.h>
#include <sys/signalfd.h>

#include <csignal>

#include "support.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "worker/farewell.hpp"
#include "worker/orders.hpp"
#include "worker/outgoing.hpp"
#include "worker/pulse.hpp"
#include "worker/signals.hpp"
#include "worker/time_limit.hpp"

namespace link_parts_test {

using namespace dlrun;
using namespace dlrun::worker;
using namespace std::chrono_literals;

namespace {

const std::chrono::steady_clock::time_point kStart{1h};

trial::PieceOrder order_of(int trial) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(trial);
  order.attempt = 1;
  return order;
}

Attempt attempt_of(int trial) { return {order_of(trial).key, 1}; }

/// The messages of some frames.
std::vector<protocol::Message> decoded(const std::string& frames) {
  protocol::Decoder decoder;
  decoder.feed(frames);
  std::vector<protocol::Message> messages;
  while (auto message = decoder.next()) messages.push_back(std::move(*message));
  return messages;
}

}  // namespace

TEST_CASE("orders are begun in turn, an abandoned one as such", "[worker][orders]") {
  Orders orders(false);
  for (const int trial : {1, 2, 3}) orders.add(order_of(trial));
  orders.abandon(attempt_of(2));
  orders.abandon(attempt_of(9));  // nobody's
  CHECK(orders.held() == std::vector{attempt_of(1), attempt_of(3)});
  CHECK(orders.begin().key == order_of(1).key);
  CHECK(orders.stop_reason() == StopReason::none);
  orders.stop(StopReason::timeout);
  orders.abandon(attempt_of(1));
  CHECK(orders.stop_reason() == StopReason::timeout);  // the first reason stays
  orders.stop(StopReason::shutdown);
  CHECK(orders.stop_reason() == StopReason::shutdown);
  orders.finish();
  CHECK_FALSE(orders.current());
  orders.begin();
  CHECK(orders.stop_reason() == StopReason::abandoned);
  orders.begin();
  CHECK(orders.stop_reason() == StopReason::none);
  CHECK(orders.is_empty());
}

TEST_CASE("an order that comes again is ignored after a lost connection, and only then", "[worker][orders]") {
  const bool may_repeat = GENERATE(false, true);
  Orders orders(may_repeat);
  orders.add(order_of(1));
  orders.add(order_of(1));
  orders.begin();
  orders.add(order_of(1));
  CHECK(orders.is_empty() == may_repeat);
}

TEST_CASE("another connection's driver says what becomes of each order", "[worker][orders]") {
  Orders orders(true);
  orders.add(order_of(1));
  orders.add(order_of(2));
  orders.begin();
  SECTION("it settles those that are kept, one by one") {
    orders.keep_all();
    CHECK(orders.is_unsettled());
    CHECK_FALSE(orders.settle(attempt_of(2)));
    CHECK(orders.settle(attempt_of(1)));
    CHECK_FALSE(orders.is_unsettled());
    CHECK_FALSE(orders.settle(attempt_of(1)));
    CHECK(orders.held().size() == 2);
  }
  SECTION("or wants none of them") {
    orders.keep_all();
    orders.give_up_all();
    CHECK_FALSE(orders.is_unsettled());
    CHECK(orders.stop_reason() == StopReason::abandoned);
    CHECK(orders.held().empty());
  }
}

TEST_CASE("telemetry names the piece at hand, and is sent once", "[worker][outgoing]") {
  Outgoing outgoing(false);
  outgoing.add({1, {{"loss", 0.5}}});
  CHECK_FALSE(outgoing.add_step({7, {}}));
  const auto messages = decoded(outgoing.take_telemetry(attempt_of(4)));
  REQUIRE(messages.size() == 2);
  const auto reported = std::get<protocol::Reported>(messages[0]);
  CHECK(reported.key == attempt_of(4).key);
  CHECK(reported.report.metrics.front().value == 0.5);
  CHECK(std::get<protocol::Watched>(messages[1]).reports.front().step == 7);
  CHECK(outgoing.take_telemetry(attempt_of(4)).empty());
  outgoing.add({2, {}});
  outgoing.drop_reports();
  outgoing.add_step({8, {}});
  CHECK(outgoing.take_steps({}).empty());  // no piece: it stays
  CHECK_FALSE(outgoing.take_steps(attempt_of(4)).empty());
  for (int step = 0; step < 999; ++step) REQUIRE_FALSE(outgoing.add_step({step, {}}));
  CHECK(outgoing.add_step({999, {}}));
  outgoing.drop_telemetry();
  CHECK(outgoing.take_telemetry(attempt_of(4)).empty());
}

TEST_CASE("results are kept until they are acknowledged, their frames for another connection", "[worker][outgoing]") {
  const bool may_repeat = GENERATE(false, true);
  Outgoing outgoing(may_repeat);
  outgoing.keep_prepared("p");
  outgoing.keep_result(attempt_of(2), "b");
  outgoing.keep_result(attempt_of(1), "a");
  CHECK(outgoing.kept() == (may_repeat ? "pab" : ""));
  CHECK(outgoing.unacknowledged() == std::vector{attempt_of(1), attempt_of(2)});
  outgoing.forget(attempt_of(2));
  CHECK_FALSE(outgoing.has_result(attempt_of(2)));
  CHECK(outgoing.has_result(attempt_of(1)));
}

// The worker ended with 70.
TEST_CASE("telemetry that is too long for a message is left to the result", "[worker][outgoing]") {
  Outgoing outgoing(false);
  outgoing.add({1, {{std::string(protocol::kMaxFrame, 'x'), 0.5}}});
  outgoing.add({2, {{"loss", 0.5}}});
  CHECK(decoded(outgoing.take_telemetry(attempt_of(4))).size() == 1);
}

TEST_CASE("a result too long for a message becomes a failure that says so", "[worker][outgoing]") {
  trial::PieceResult result{.key = order_of(1).key, .attempt = 1};
  CHECK(std::get<protocol::Result>(decoded(frame_of(result)).front()).result.outcome == trial::Outcome::completed);
  result.message = std::string(protocol::kMaxFrame, 'x');
  const trial::PieceResult failed = std::get<protocol::Result>(decoded(frame_of(result)).front()).result;
  CHECK(failed.outcome == trial::Outcome::failed);
  CHECK(failed.key == result.key);
  CHECK_THAT(failed.message, Contains("too much was reported"));
}

TEST_CASE("a second signal ends a worker at once, a notice does not", "[worker][farewell]") {
  Farewell farewell;
  CHECK_FALSE(farewell.is_asked());
  CHECK(farewell.ask_by_signal(SIGUSR1, kStart));
  CHECK(farewell.ask_by_signal(SIGUSR1, kStart + 50s));
  CHECK(farewell.end() == kStart + 100s);  // the first notice counts
  CHECK(farewell.ask_by_signal(SIGTERM, kStart + 20s));
  CHECK(farewell.end() == kStart + 30s);
  CHECK_FALSE(farewell.is_over(kStart + 29s));
  CHECK(farewell.is_over(kStart + 30s));
  CHECK(farewell.ask_by_signal(SIGUSR1, kStart + 21s));
  CHECK_FALSE(farewell.ask_by_signal(SIGINT, kStart + 22s));
  CHECK(farewell.reason() == "it was told to by signal 10");
}

TEST_CASE("only a worker that its driver did not ask says goodbye", "[worker][farewell]") {
  Farewell farewell;
  farewell.ask(2.5, kStart);
  CHECK(farewell.end() == kStart + 2500ms);
  CHECK(farewell.reason().empty());
  CHECK_FALSE(farewell.note_hung_up());
  farewell.note_said();
  CHECK_FALSE(farewell.is_heard());
  CHECK(farewell.note_hung_up());
  CHECK(farewell.is_heard());
}

TEST_CASE("a heartbeat is due once an interval, and silence breaks a connection", "[worker][pulse]") {
  Pulse pulse(5, 12, kStart);
  CHECK_FALSE(pulse.is_due(kStart + 4s));
  CHECK(pulse.is_due(kStart + 5s));
  CHECK_FALSE(pulse.is_due(kStart + 9s));
  CHECK(pulse.is_due(kStart + 10s));
  CHECK_FALSE(pulse.is_silent(kStart + 12s));
  CHECK(pulse.is_silent(kStart + 13s));
  pulse.note_heard(kStart + 13s);
  CHECK_FALSE(pulse.is_silent(kStart + 25s));
  CHECK_FALSE(Pulse(5, 0, kStart).is_silent(kStart + 1h));
}

TEST_CASE("time that is paused does not count against a limit", "[worker][limit]") {
  TimeLimit limit(10);
  CHECK_FALSE(limit.is_over(kStart + 1h));
  limit.begin(kStart);
  CHECK_FALSE(limit.is_over(kStart + 10s));
  CHECK(limit.is_over(kStart + 11s));
  limit.pause();
  CHECK_FALSE(limit.is_over(kStart + 1h));
  TimeLimit none(0);
  none.begin(kStart);
  CHECK_FALSE(none.is_over(kStart + 1h));
}

TEST_CASE("signals that ask for an end are read, and interrupt nothing", "[worker][signals]") {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    Signals signals;
    CHECK_FALSE(signals.wait(0));
    ::raise(SIGUSR1);
    REQUIRE(signals.wait(1000));
    CHECK(signals.next() == SIGUSR1);
    CHECK_FALSE(signals.wait(0));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace link_parts_test
