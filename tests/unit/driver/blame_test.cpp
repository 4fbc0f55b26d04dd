// SPDX-License-Identifier: Apache-2.0
#include "driver/blame.hpp"

#include "driver/backoff.hpp"
#include "support/catch.hpp"

namespace blame_test {

using namespace dlrun;
using namespace dlrun::driver;
using trial::Cause;

namespace {

constexpr std::int64_t kA = 1, kB = 2;  // workers, each on a host of its own
const Blame::Time kStart{};
constexpr std::chrono::seconds kPause{60}, kLongest{3600};  // of the default rules
const auto kLater = kStart + kPause;

trial::PieceKey piece(std::int64_t trial) { return {{trial::TrialId(trial), 0, 0}, 0}; }

Blame two_hosts() {
  Blame blame;
  blame.worker_ready(kA, "a");
  blame.worker_ready(kB, "b");
  return blame;
}

/// Loses pieces of `count` trials on a worker, from this trial on.
void lose(Blame& blame, std::int64_t worker, std::int64_t first, int count, Blame::Time now = kStart) {
  for (int i = 0; i < count; ++i) blame.lost(worker, piece(first + i), Cause::signal, now);
}

/// A piece that nobody has lost.
bool gets_work(const Blame& blame, std::int64_t worker, Blame::Time now) {
  return blame.may_run(worker, piece(1000), now);
}

}  // namespace

TEST_CASE("a piece that was lost goes to another host", "[driver][blame]") {
  Blame blame = two_hosts();
  CHECK(blame.is_quiet());
  CHECK(blame.lost(kA, piece(0), Cause::worker_lost, kStart).empty());
  CHECK_FALSE(blame.is_quiet());
  CHECK_FALSE(blame.may_run(kA, piece(0), kStart));
  CHECK(blame.may_run(kB, piece(0), kStart));
  CHECK(blame.may_run(kA, piece(1), kStart));
  SECTION("and back, where no other is left") {
    blame.worker_ended(kB);
    CHECK(blame.may_run(kA, piece(0), kStart));
  }
  SECTION("and back, where the other's worker leaves") {
    blame.worker_leaves(kB);
    CHECK(blame.may_run(kA, piece(0), kStart));
  }
  SECTION("anywhere, once all have lost it") {
    blame.lost(kB, piece(0), Cause::worker_lost, kStart);
    CHECK(blame.may_run(kA, piece(0), kStart));
    CHECK(blame.may_run(kB, piece(0), kStart));
  }
}

TEST_CASE("what two hosts lost is the trial's fault", "[driver][blame]") {
  Blame blame = two_hosts();
  CHECK(blame.lost(kB, piece(0), Cause::oom, kStart).empty());
  CHECK(blame.lost(kB, piece(0), Cause::signal, kStart).empty());
  CHECK(blame.lost(kA, piece(0), Cause::signal, kStart) ==
        "; lost on hosts a and b: the trial's fault, not the machine's");
  for (const Json& host : blame.to_json(kStart)) CHECK(host.at("lost") == 0);
  CHECK(blame.losses(piece(0)) == 3);
  SECTION("so a host that lost only such is not set aside, or works again") {
    lose(blame, kA, 1, 3);
    CHECK_FALSE(gets_work(blame, kA, kStart));
    blame.lost(kB, piece(2), Cause::signal, kStart);
    CHECK(gets_work(blame, kA, kStart));
  }
}

TEST_CASE("a host that loses three trials in a row is set aside", "[driver][blame]") {
  Blame blame = two_hosts();
  lose(blame, kA, 0, 2);
  CHECK(gets_work(blame, kA, kStart));
  SECTION("if nothing succeeded in between") {
    blame.succeeded(kA, piece(50));
    lose(blame, kA, 2, 2);
    CHECK(gets_work(blame, kA, kStart));
  }
  SECTION("one trial counts once") {
    lose(blame, kA, 1, 1);
    CHECK(gets_work(blame, kA, kStart));
  }
  SECTION("a worker that was taken away does not count, nor does a loss that is not finite") {
    blame.lost(kA, piece(2), Cause::preempted, kStart);
    blame.lost(kA, piece(3), Cause::nan, kStart);
    CHECK(gets_work(blame, kA, kStart));
  }
  SECTION("and people are told") {
    lose(blame, kA, 2, 1);
    CHECK_FALSE(gets_work(blame, kA, kStart));
    CHECK(gets_work(blame, kB, kStart));
    CHECK(blame.take_news() ==
          std::vector<std::string>{"host a is set aside for 60 s: the last 3 trials on it were lost"});
    CHECK(blame.take_news().empty());
    const Json host = blame.to_json(kStart + std::chrono::seconds(20)).at(0);
    CHECK(host ==
          Json{{"host", "a"}, {"workers", 1}, {"lost", 3}, {"proven", 0}, {"is_aside", true}, {"seconds", 40.0}});
  }
}

TEST_CASE("a host that was set aside is tried again with one piece", "[driver][blame]") {
  Blame blame = two_hosts();
  lose(blame, kA, 0, 3);
  CHECK_FALSE(gets_work(blame, kA, kLater - std::chrono::seconds(1)));
  REQUIRE(gets_work(blame, kA, kLater));
  blame.given(kA);
  CHECK_FALSE(gets_work(blame, kA, kLater));
  SECTION("if that succeeds it works as before") {
    blame.succeeded(kA, piece(9));
    CHECK(gets_work(blame, kA, kLater));
    lose(blame, kA, 20, 2, kLater);
    CHECK(gets_work(blame, kA, kLater));
  }
  SECTION("if not it waits twice as long") {
    lose(blame, kA, 9, 1, kLater);
    CHECK_FALSE(gets_work(blame, kA, kLater + kPause));
    CHECK(gets_work(blame, kA, kLater + 2 * kPause));
  }
  SECTION("if it is taken away the next one is tried") {
    blame.lost(kA, piece(9), Cause::preempted, kLater);
    CHECK(gets_work(blame, kA, kLater));
  }
}

TEST_CASE("a host is never waited for longer than an hour", "[driver][blame]") {
  Blame blame = two_hosts();
  for (int i = 0; i < 100; ++i) lose(blame, kA, i, 1);
  CHECK_FALSE(gets_work(blame, kA, kStart + kLongest - std::chrono::seconds(1)));
  CHECK(gets_work(blame, kA, kStart + kLongest));
}

TEST_CASE("how many trials are forgiven and for how long is the study's choice", "[driver][blame]") {
  const auto blame_of = [](const spec::Quarantine& rules) {
    Blame blame(rules);
    blame.worker_ready(kA, "a");
    blame.worker_ready(kB, "b");
    return blame;
  };
  SECTION("one is enough") {
    Blame blame = blame_of({.after = 1, .first = 5, .most = 8});
    lose(blame, kA, 0, 1);
    CHECK(blame.take_news() == std::vector<std::string>{"host a is set aside for 5 s: the last trial on it was lost"});
    CHECK_FALSE(gets_work(blame, kA, kStart + std::chrono::seconds(4)));
    CHECK(gets_work(blame, kA, kStart + std::chrono::seconds(5)));
    lose(blame, kA, 1, 1);
    CHECK_FALSE(gets_work(blame, kA, kStart + std::chrono::seconds(7)));
    CHECK(gets_work(blame, kA, kStart + std::chrono::seconds(8)));
  }
  SECTION("any number is") {
    Blame blame = blame_of({.after = 0});
    lose(blame, kA, 0, 100);
    CHECK(gets_work(blame, kA, kStart));
    CHECK(blame.take_news().empty());
    CHECK_FALSE(blame.may_run(kA, piece(3), kStart));  // that is no question of the host
  }
}

TEST_CASE("somebody always works", "[driver][blame]") {
  Blame blame;
  blame.worker_ready(kA, "a");
  SECTION("a lone host is never set aside") {
    lose(blame, kA, 0, 10);
    CHECK(gets_work(blame, kA, kStart));
    CHECK(blame.take_news().empty());
  }
  SECTION("the last of several goes on") {
    blame.worker_ready(kB, "b");
    lose(blame, kA, 0, 3);
    lose(blame, kB, 10, 10);
    CHECK_FALSE(gets_work(blame, kA, kStart));
    CHECK(gets_work(blame, kB, kStart));
    blame.worker_ended(kB);
    CHECK(gets_work(blame, kA, kStart));
  }
  SECTION("of hosts that are all set aside the one whose time is over first") {
    blame.worker_ready(kB, "b");
    blame.worker_ready(3, "c");
    lose(blame, kB, 0, 3);
    lose(blame, kA, 10, 3, kStart + std::chrono::seconds(1));
    blame.worker_ended(3);
    CHECK(gets_work(blame, kB, kStart));
    CHECK_FALSE(gets_work(blame, kA, kStart));
  }
}

TEST_CASE("a loss is proven by another host's success", "[driver][blame]") {
  Blame blame = two_hosts();
  lose(blame, kA, 0, 1);
  blame.succeeded(kB, piece(0));
  CHECK(blame.to_json(kStart).at(0).at("proven") == 1);
  CHECK(blame.to_json(kStart).at(0).at("lost") == 1);
  CHECK(blame.losses(piece(0)) == 0);
  CHECK(blame.may_run(kA, piece(0), kStart));
}

TEST_CASE("a piece waits twice as long after each loss", "[driver][blame][backoff]") {
  const spec::RetryDelay delay{.first = 1, .most = 60};
  const auto [losses, cause, seconds] = GENERATE(table<int, Cause, double>({{1, Cause::worker_lost, 0},
                                                                            {2, Cause::worker_lost, 1},
                                                                            {4, Cause::worker_lost, 4},
                                                                            {9, Cause::worker_lost, 60},
                                                                            {5000, Cause::worker_lost, 60},
                                                                            {1, Cause::signal, 1},
                                                                            {3, Cause::exception, 4},
                                                                            {0, Cause::nan, 0},
                                                                            {5, Cause::preempted, 0},
                                                                            {5, Cause::driver_lost, 0},
                                                                            {3, Cause::machine, 4},
                                                                            {5, Cause::crowded, 0},
                                                                            {5, Cause::artifact, 0}}));
  CHECK(wait_before_retry(delay, losses, cause).count() == seconds);
  CHECK(wait_before_retry({.first = 0, .most = 60}, losses, cause).count() == 0);
}

TEST_CASE("whatever machines lack is never the trial's fault", "[driver][blame]") {
  Blame blame = two_hosts();
  CHECK(blame.lost(kA, piece(0), Cause::machine, kStart).empty());
  CHECK_FALSE(blame.may_run(kA, piece(0), kStart));
  CHECK(blame.lost(kB, piece(0), Cause::machine, kStart).empty());
  CHECK(blame.losses(piece(0)) == 2);
  CHECK(blame.lost(kA, piece(0), Cause::exception, kStart).empty());  // one host says that it is the trial
  for (int i = 1; i < 3; ++i) blame.lost(kA, piece(i), Cause::machine, kStart);
  CHECK_FALSE(gets_work(blame, kA, kStart));
  CHECK(gets_work(blame, kB, kStart));
  blame.succeeded(kB, piece(1));
  CHECK(blame.to_json(kStart)[0]["proven"] == 1);
}

}  // namespace blame_test
