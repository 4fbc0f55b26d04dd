// SPDX-License-Identifier: Apache-2.0
#include "driver/dispatcher.hpp"

#include "support/catch.hpp"

namespace dispatcher_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

Work work(std::int64_t trial, int piece = 0, std::int64_t from_step = 0) {
  return {{{{trial::TrialId(trial), 0, 0}, piece}, 1, from_step, from_step + 1, ""}};
}

std::vector<std::pair<std::int64_t, std::int64_t>> placed(Dispatcher& dispatcher) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (const Placement& p : dispatcher.place()) out.emplace_back(p.work.piece.key.member.trial.value, p.worker);
  return out;
}

using Placed = std::vector<std::pair<std::int64_t, std::int64_t>>;

}  // namespace

TEST_CASE("the earliest decided piece leaves first, one for each worker", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  for (int i = 0; i < 5; ++i) dispatcher.add(work(i));
  CHECK(placed(dispatcher).empty());
  dispatcher.worker_ready(7);
  dispatcher.worker_ready(9);
  CHECK(placed(dispatcher) == Placed{{0, 7}, {1, 9}});
  CHECK(dispatcher.finished(9, work(1).attempt(), 1.0).has_value());
  CHECK(placed(dispatcher) == Placed{{2, 9}});
  CHECK(dispatcher.waiting() == 2);
  CHECK(dispatcher.busy_workers() == 2);
}

TEST_CASE("chosen work leaves before the earliest decided", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  for (int i = 0; i < 5; ++i) dispatcher.add(work(i));
  dispatcher.worker_ready(7);
  dispatcher.worker_ready(9);
  std::vector<std::size_t> asked;
  const PlacementRules rules{.first = [&](const std::deque<Work>& waiting, std::size_t idle) {
    asked = {waiting.size(), idle};
    return std::vector<std::size_t>{3, 1};
  }};
  const auto first = dispatcher.place(rules);
  CHECK(asked == std::vector<std::size_t>{5, 2});
  REQUIRE(first.size() == 2);
  CHECK(first[0].work.attempt() == work(3).attempt());
  CHECK(first[1].work.attempt() == work(1).attempt());
  asked.clear();
  CHECK(dispatcher.place(rules).empty());
  CHECK(asked.empty());  // no worker is idle
  CHECK(dispatcher.finished(9, work(1).attempt(), 1.0).has_value());
  CHECK(placed(dispatcher) == Placed{{0, 9}});  // the others as they were decided
}

TEST_CASE("what a worker came with counts as given to it", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  dispatcher.worker_ready(7);
  CHECK_FALSE(dispatcher.take_waiting(work(2).attempt()));
  const auto waiting = dispatcher.take_waiting(work(1).attempt());
  REQUIRE(waiting);
  dispatcher.adopt({7, *waiting});
  CHECK(dispatcher.busy_workers() == 1);
  CHECK(placed(dispatcher).empty());  // it has something to do
  CHECK(dispatcher.abandon(work(1).attempt()) == 7);
  CHECK(dispatcher.finished(7, work(1).attempt(), 1.0).has_value());
  CHECK(placed(dispatcher) == Placed{{0, 7}});
}

TEST_CASE("short pieces are given ahead, evenly", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0);
  for (int i = 0; i < 60; ++i) {
    dispatcher.add(work(i));
    REQUIRE(placed(dispatcher).size() == 1);
    dispatcher.finished(0, work(i).attempt(), 0.0001);
  }
  dispatcher.worker_ready(1);
  for (int i = 100; i < 110; ++i) dispatcher.add(work(i));
  const auto now = placed(dispatcher);
  REQUIRE(now.size() == 10);
  CHECK(std::count_if(now.begin(), now.end(), [](const auto& p) { return p.second == 0; }) == 5);
  SECTION("but only so many") {
    for (int i = 200; i < 400; ++i) dispatcher.add(work(i));
    CHECK(placed(dispatcher).size() == 2 * Dispatcher::kMaxAhead - 10);
  }
}

TEST_CASE("a trial goes on where it was, if nobody waits for that", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0);
  dispatcher.worker_ready(1);
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  REQUIRE(placed(dispatcher) == Placed{{0, 0}, {1, 1}});
  dispatcher.finished(0, work(0).attempt(), 1);
  dispatcher.finished(1, work(1).attempt(), 1);
  dispatcher.add(work(1, 1, 1));
  dispatcher.add(work(0, 1, 1));
  CHECK(placed(dispatcher) == Placed{{1, 1}, {0, 0}});
}

TEST_CASE("a trial whose program waits on a host goes on there alone", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0, "here");
  dispatcher.worker_ready(1, "there");
  const trial::Member member{trial::TrialId(5), 0, 0};
  dispatcher.add(work(5));
  dispatcher.add(work(6));
  REQUIRE(placed(dispatcher) == Placed{{5, 0}, {6, 1}});
  dispatcher.finished(0, work(5).attempt(), 1.0);
  dispatcher.programs().keep(0, member, "door");
  dispatcher.add(work(7));
  REQUIRE(placed(dispatcher) == Placed{{7, 0}});
  dispatcher.finished(1, work(6).attempt(), 1.0);
  dispatcher.add(work(5, 1, 1));
  dispatcher.add(work(8));

  SECTION("what waits for it lets others go first") {
    CHECK(placed(dispatcher) == Placed{{8, 1}});
    dispatcher.finished(0, work(7).attempt(), 1.0);
    const auto next = dispatcher.place();
    REQUIRE(next.size() == 1);
    CHECK(next[0].worker == 0);
    CHECK(next[0].work.program == "door");
    CHECK(dispatcher.programs().take_all(trial::TrialId(5)).empty());  // it runs
  }
  SECTION("another worker of the host continues it, and it stays the first one's") {
    dispatcher.worker_ready(2, "here");
    const auto next = dispatcher.place();
    REQUIRE(next.size() == 2);
    CHECK(next[0].worker == 2);
    CHECK(next[0].work.program == "door");
    CHECK(next[1].work.program.empty());
    dispatcher.programs().keep(2, member, "door");
    CHECK(dispatcher.programs().take_all(trial::TrialId(5)) == std::vector<std::int64_t>{0});
  }
  SECTION("a program that was ended binds nothing") {
    CHECK(dispatcher.programs().take_all(trial::TrialId(5)) == std::vector<std::int64_t>{0});
    CHECK(placed(dispatcher) == Placed{{5, 1}});
  }
  SECTION("nor does one whose worker is lost, or whose host may not run it") {
    if (GENERATE(true, false)) {
      dispatcher.worker_ended(0);
      CHECK(placed(dispatcher) == Placed{{5, 1}});
    } else {
      const auto may_run = [](std::int64_t worker, const Work&) { return worker != 0; };
      const auto next = dispatcher.place({.may_run = may_run});
      CHECK(next.at(0).worker == 1);
      CHECK(next.at(0).work.program.empty());
    }
  }
}

TEST_CASE("what a lost worker held comes back in order", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0);
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  dispatcher.place();
  const auto held = dispatcher.worker_ended(0);
  REQUIRE(held.size() == 1);
  dispatcher.put_back(held[0]);
  dispatcher.worker_ready(1);
  CHECK(placed(dispatcher) == Placed{{0, 1}});
  CHECK(dispatcher.worker_ended(5).empty());
  CHECK_FALSE(dispatcher.finished(5, work(0).attempt(), 1).has_value());
}

TEST_CASE("an abandoned piece never leaves, or its worker is named", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(3);
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  dispatcher.place();
  CHECK(dispatcher.abandon(work(0).attempt()) == 3);
  CHECK_FALSE(dispatcher.abandon(work(1).attempt()).has_value());
  dispatcher.finished(3, work(0).attempt(), 1);
  CHECK(placed(dispatcher).empty());
  CHECK(dispatcher.is_idle());
}

TEST_CASE("a piece passes by a worker that may not run it", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0);
  dispatcher.worker_ready(1);
  for (int i = 0; i < 3; ++i) dispatcher.add(work(i));
  const auto not_on_0 = [](std::int64_t worker, const Work& w) {
    return worker != 0 || w.piece.key.member.trial.value == 2;
  };
  const auto now = dispatcher.place({.may_run = not_on_0});
  REQUIRE(now.size() == 2);
  CHECK((now[0].worker == 1 && now[0].work.attempt() == work(0).attempt()));
  CHECK((now[1].worker == 0 && now[1].work.attempt() == work(2).attempt()));
  CHECK(dispatcher.waiting() == 1);
}

TEST_CASE("what must wait lets others go first", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0);
  for (int i = 0; i < 2; ++i) dispatcher.add(work(i));
  const auto not_the_first = [](std::int64_t, const Work& w) { return w.piece.key.member.trial.value > 0; };
  const auto now = dispatcher.place({.may_leave = not_the_first});
  REQUIRE(now.size() == 1);
  CHECK(now[0].work.attempt() == work(1).attempt());
  CHECK_FALSE(dispatcher.is_idle());
}

namespace {

Work copy_of(const Work& work) {
  Work copy = work;
  copy.piece.copy_of = work.piece.attempt;
  ++copy.piece.attempt;
  return copy;
}

}  // namespace

TEST_CASE("a copy goes to a worker without work that computes alike, of another host if there is one",
          "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0, "a");
  dispatcher.add(work(0));
  REQUIRE(placed(dispatcher) == Placed{{0, 0}});
  CHECK_FALSE(dispatcher.may_copy(work(0).attempt()));
  CHECK_FALSE(dispatcher.has_room());
  dispatcher.worker_ready(1, "a");
  CHECK(dispatcher.may_copy(work(0).attempt()));
  CHECK(dispatcher.has_room());
  CHECK_FALSE(dispatcher.may_copy(work(7).attempt()));  // nobody holds it
  SECTION("the same host will do") {
    dispatcher.add(copy_of(work(0)));
    CHECK(placed(dispatcher) == Placed{{0, 1}});
    CHECK(dispatcher.abandon(work(0).attempt()) == 0);
    CHECK(dispatcher.abandon(copy_of(work(0)).attempt()) == 1);
  }
  SECTION("another host is better") {
    dispatcher.worker_ready(2, "b");
    dispatcher.add(copy_of(work(0)));
    CHECK(placed(dispatcher) == Placed{{0, 2}});
  }
  SECTION("who computes otherwise, or is about to leave, will not do") {
    dispatcher.worker_computes(1, "another class");
    dispatcher.worker_computes(9, "");  // gone
    dispatcher.worker_ready(2, "b");
    dispatcher.worker_leaves(2);
    CHECK_FALSE(dispatcher.may_copy(work(0).attempt()));
    CHECK(dispatcher.workers() == 3);
  }
}

TEST_CASE("a piece that wants a host for itself waits until nothing else runs there", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0, "a");
  dispatcher.worker_ready(1, "a");
  dispatcher.worker_ready(2, "b");
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  REQUIRE(placed(dispatcher) == Placed{{0, 0}, {1, 1}});
  Work lonely = work(2);
  lonely.alone_on = "a";
  dispatcher.add(lonely);
  dispatcher.add(work(3));
  dispatcher.add(work(4));
  CHECK(placed(dispatcher) == Placed{{3, 2}});  // other hosts work on, this one gets nothing more
  CHECK(dispatcher.finished(0, work(0).attempt(), 1.0));
  CHECK(placed(dispatcher).empty());
  SECTION("then nothing else runs there until it has ended") {
    CHECK(dispatcher.finished(1, work(1).attempt(), 1.0));
    CHECK(placed(dispatcher) == Placed{{2, 0}});
    CHECK_FALSE(dispatcher.had_company(0));
    dispatcher.add(work(5));
    CHECK(dispatcher.finished(2, work(3).attempt(), 1.0));
    CHECK(placed(dispatcher) == Placed{{4, 2}});
    CHECK(dispatcher.finished(0, lonely.attempt(), 1.0));
    CHECK(placed(dispatcher) == Placed{{5, 0}});
  }
  SECTION("it goes elsewhere where its host has no worker left") {
    dispatcher.worker_ended(0);
    dispatcher.worker_ended(1);
    CHECK(placed(dispatcher).empty());
    CHECK(dispatcher.finished(2, work(3).attempt(), 1.0));
    CHECK(placed(dispatcher) == Placed{{2, 2}});
  }
}

TEST_CASE("it is known who ran beside whom", "[driver][dispatcher]") {
  Dispatcher dispatcher;
  dispatcher.worker_ready(0, "a");
  dispatcher.worker_ready(1, "b");
  dispatcher.add(work(0));
  dispatcher.add(work(1));
  REQUIRE(placed(dispatcher) == Placed{{0, 0}, {1, 1}});
  CHECK_FALSE(dispatcher.had_company(0));  // the other is on another host
  dispatcher.worker_ready(2, "a");
  dispatcher.add(work(2));
  REQUIRE(placed(dispatcher) == Placed{{2, 2}});
  CHECK(dispatcher.had_company(0));
  CHECK(dispatcher.had_company(2));
  SECTION("also where that has ended meanwhile") {
    CHECK(dispatcher.finished(2, work(2).attempt(), 1.0));
    CHECK(dispatcher.had_company(0));
    CHECK_FALSE(dispatcher.had_company(2));
  }
  SECTION("or was lost with its worker") {
    dispatcher.worker_ended(2);
    CHECK(dispatcher.had_company(0));
  }
  SECTION("but not what ended before") {
    CHECK(dispatcher.finished(2, work(2).attempt(), 1.0));
    CHECK(dispatcher.finished(0, work(0).attempt(), 1.0));
    dispatcher.add(work(3));
    REQUIRE(placed(dispatcher) == Placed{{3, 0}});
    CHECK_FALSE(dispatcher.had_company(0));
  }
}

}  // namespace dispatcher_test
