// SPDX-License-Identifier: Apache-2.0
// Workload, sentence and signs of life of a worker, and the read mark: each alone, at given times.
#include "executor/workload.hpp"

#include "executor/read_mark.hpp"
#include "executor/sentence.hpp"
#include "support/catch.hpp"

namespace workload_test {

using namespace dlrun;
using namespace dlrun::executor;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const Workload::Time kStart{};

AttemptKey attempt(int number) { return {{{trial::TrialId(3)}, 0}, number}; }

HubOptions limits(double time_limit, double hang) {
  HubOptions options;
  options.setup.time_limit = time_limit;
  options.overtime = 10;
  options.hang_seconds = hang;
  return options;
}

}  // namespace

TEST_CASE("a workload keeps unanswered attempts in their order", "[executor][workload]") {
  Workload work(kStart);
  work.add_attempt(attempt(1), kStart);
  work.add_attempt(attempt(2), kStart);
  CHECK(work.attempts() == std::vector<AttemptKey>{attempt(1), attempt(2)});
  work.finish(attempt(1), kStart);
  CHECK_FALSE(work.has(attempt(1)));
  CHECK(work.has(attempt(2)));
}

TEST_CASE("a worker is idle since its last attempt was answered", "[executor][workload]") {
  Workload work(kStart);
  CHECK(work.idle(kStart + seconds(5)) == seconds(5));
  work.add_attempt(attempt(1), kStart + seconds(5));
  CHECK(work.idle(kStart + seconds(9)) == seconds(0));
  work.finish(attempt(1), kStart + seconds(10));
  CHECK(work.idle(kStart + seconds(12)) == seconds(2));
}

TEST_CASE("a piece that takes too long is a timeout, counted from its own start", "[executor][workload]") {
  Workload work(kStart);
  const HubOptions options = limits(60, 0);
  work.add_attempt(attempt(1), kStart);
  work.add_attempt(attempt(2), kStart);  // waits for the first
  CHECK_FALSE(work.overrun(options, kStart, kStart + seconds(70)));
  const auto reason = work.overrun(options, kStart, kStart + seconds(71));
  REQUIRE(reason);
  CHECK(reason->cause == trial::Cause::timeout);
  CHECK(reason->message == "took longer than its limit of 60 s and did not stop when asked");
  work.finish(attempt(1), kStart + seconds(71));
  CHECK_FALSE(work.overrun(options, kStart, kStart + seconds(141)));
  work.restart_clock(kStart + seconds(141));  // a transfer
  CHECK_FALSE(work.overrun(options, kStart, kStart + seconds(200)));
}

TEST_CASE("a piece hangs if heartbeats go on and steps do not", "[executor][workload]") {
  Workload work(kStart);
  const HubOptions options = limits(0, 20);
  work.add_attempt(attempt(1), kStart);
  work.beat(5, kStart + seconds(10));
  work.beat(5, kStart + seconds(30));
  CHECK_FALSE(work.overrun(options, kStart + seconds(30), kStart + seconds(500)));  // silent: that is another fault
  const auto reason = work.overrun(options, kStart + seconds(31), kStart + seconds(31));
  REQUIRE(reason);
  CHECK(reason->message == "hangs: no step for 20 s");
  work.beat(6, kStart + seconds(31));
  CHECK_FALSE(work.overrun(options, kStart + seconds(31), kStart + seconds(31)));
}

TEST_CASE("a worker without attempts neither hangs nor takes too long", "[executor][workload]") {
  const Workload work(kStart);
  CHECK_FALSE(work.overrun(limits(1, 1), kStart + seconds(900), kStart + seconds(900)));
}

TEST_CASE("the first reason and the earliest moment of a sentence count", "[executor][sentence]") {
  Sentence sentence;
  CHECK_FALSE(sentence.is_due(kStart + seconds(1000)));
  CHECK(sentence.pass({trial::Cause::timeout, "hangs"}));
  CHECK_FALSE(sentence.pass({trial::Cause::worker_lost, "left"}));
  CHECK(sentence.reason()->message == "hangs");
  sentence.end_by(kStart + seconds(5));
  sentence.end_by(kStart + seconds(9));
  CHECK_FALSE(sentence.is_due(kStart + milliseconds(4999)));
  CHECK(sentence.is_due(kStart + seconds(5)));
}

TEST_CASE("a worker is ready with its hello, and silent since its last message", "[executor][sentence]") {
  SignsOfLife signs(kStart);
  CHECK_FALSE(signs.is_ready());
  signs.hear_hello(kStart + seconds(2));
  signs.hear(kStart + seconds(3));
  CHECK(signs.is_ready());
  CHECK(signs.silent_for(kStart + seconds(10)) == 7);
  CHECK(signs.age(kStart + seconds(10)) == 10);
}

TEST_CASE("messages are read up to the last time but one that sockets were empty", "[executor][read_mark]") {
  ReadMark mark(kStart);
  mark.note_empty(kStart + milliseconds(99));
  mark.note_empty(kStart + milliseconds(150));
  CHECK(mark.up_to() == kStart);
  mark.note_empty(kStart + milliseconds(250));
  CHECK(mark.up_to() == kStart + milliseconds(150));
}

}  // namespace workload_test
