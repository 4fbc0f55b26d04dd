// SPDX-License-Identifier: Apache-2.0
// What was known of hosts is known again when the study is opened, whatever the clock has done meanwhile.
#include "driver/memory.hpp"

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace memory_test {

using namespace dlrun;
using namespace dlrun::driver;
using support::piece_of;
using trial::Cause;

namespace {

constexpr std::int64_t kA = 0, kB = 1;  // workers, each on a host of its own
constexpr std::int64_t kMinute = 60'000;

/// A study that a driver with workers on hosts a and b wrote, and a driver that opens it.
struct Fixture {
  support::TempFolder folder;
  std::unique_ptr<storage::Store> store = storage::Store::create(folder.path(), support::sample_row(), {});
  std::int64_t next = 0;

  Fixture() {
    store->begin();
    store->opening().worker(kA, 10, "a", "running");
    store->opening().worker(kB, 11, "b", "running");
  }
  std::int64_t trial(std::int64_t worker) {
    store->add(support::start_of(next));
    store->attempts().start({piece_of(next), 1, worker});
    return next++;
  }
  void lose(std::int64_t worker, int count, Cause cause = Cause::worker_lost) {
    for (int i = 0; i < count; ++i) lose_again(trial(worker), 1, cause);
  }
  void lose_again(std::int64_t trial, int attempt, Cause cause) {
    store->add(study::Event(study::AttemptLost{piece_of(trial), attempt, cause, "it vanished", ""}));
  }
  void succeed(std::int64_t worker) {
    store->add(study::Event(study::PieceEnded{support::result_of(trial(worker), 1)}));
  }

  Crowded crowded;  ///< as the last reopening found it

  /// As if all had been written so long ago.
  Blame reopened(std::int64_t ago = 0) {
    store->commit(storage::Durability::full);
    store->close();
    store.reset();
    age(ago);
    store = storage::Store::open(folder.path(), "sample", {});
    Blame blame;
    Memory memory(*store, blame, crowded, std::chrono::steady_clock::now());
    store->replay([&](const storage::LogRow& row) {
      if (const auto* event = std::get_if<study::Event>(&row)) memory.replay(*event);
    });
    blame.worker_ready(kA, "a");
    blame.worker_ready(kB, "b");
    return blame;
  }
  void age(std::int64_t ms) {
    storage::Database database(storage::study_file(folder.path(), "sample", ".db"), storage::Database::Mode::write);
    database.prepare("UPDATE dl_attempt SET finished = finished - ?").run(ms);
    database.prepare("UPDATE dl_worker SET started = started - ?1, changed = changed - ?1").run(ms);
  }
};

bool gets_work(const Blame& blame, std::int64_t worker, int seconds = 0) {
  return blame.may_run(worker, piece_of(1000), std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a host that was set aside is still aside for what is left", "[driver][memory]") {
  lose(kA, 3);
  Blame blame = reopened(20'000);
  CHECK_FALSE(gets_work(blame, kA));
  CHECK_FALSE(gets_work(blame, kA, 35));
  CHECK(gets_work(blame, kA, 41));
  CHECK(gets_work(blame, kB));
  CHECK(blame.take_news().empty());
  blame.tell_kept(std::chrono::steady_clock::now());
  const auto news = blame.take_news();
  REQUIRE(news.size() == 1);
  CHECK_THAT(news[0], Contains("host a is still set aside for 40 s: the last 3 trials on it were lost") ||
                          Contains("host a is still set aside for 39 s"));
}

TEST_CASE_METHOD(Fixture, "what is over is over, but it is tried with one piece", "[driver][memory]") {
  lose(kA, 3);
  Blame blame = reopened(2 * kMinute);
  blame.tell_kept(std::chrono::steady_clock::now());
  CHECK(blame.take_news().empty());
  REQUIRE(gets_work(blame, kA));
  blame.given(kA);
  CHECK_FALSE(gets_work(blame, kA));
}

TEST_CASE_METHOD(Fixture, "a clock that was set holds no host for longer than its pause", "[driver][memory]") {
  lose(kA, 3);
  const std::int64_t year = 365 * 24 * 60 * kMinute;
  SECTION("back: all of it seems to lie ahead") {
    const Blame blame = reopened(-year);
    CHECK_FALSE(gets_work(blame, kA));
    CHECK(gets_work(blame, kA, 60));
  }
  SECTION("forward: all of it seems long ago") { CHECK(gets_work(reopened(year), kA)); }
}

TEST_CASE_METHOD(Fixture, "suspicion that was not enough goes on where it was", "[driver][memory]") {
  lose(kA, 2);
  SECTION("one more is enough") {
    Blame blame = reopened();
    blame.lost(kA, piece_of(500), Cause::signal, std::chrono::steady_clock::now());
    CHECK_FALSE(gets_work(blame, kA));
  }
  SECTION("if nothing succeeded there since") {
    succeed(kA);
    Blame blame = reopened();
    blame.lost(kA, piece_of(500), Cause::signal, std::chrono::steady_clock::now());
    CHECK(gets_work(blame, kA));
  }
}

TEST_CASE_METHOD(Fixture, "where a piece was lost is known, and what two hosts lost is its fault", "[driver][memory]") {
  lose(kA, 1);
  SECTION("so it goes to the other host") {
    const Blame blame = reopened();
    CHECK_FALSE(blame.may_run(kA, piece_of(0), {}));
    CHECK(blame.may_run(kB, piece_of(0), {}));
    CHECK(blame.losses(piece_of(0)) == 1);
  }
  SECTION("and counts against neither") {
    store->attempts().start({piece_of(0), 2, kB});
    lose_again(0, 2, Cause::oom);
    const Blame blame = reopened();
    for (const Json& host : blame.to_json({})) CHECK(host.at("lost") == 0);
    CHECK(blame.losses(piece_of(0)) == 2);
  }
}

TEST_CASE_METHOD(Fixture, "what was nobody's fault is not remembered", "[driver][memory]") {
  lose(kA, 5, Cause::driver_lost);
  lose(kA, 5, Cause::preempted);
  const Blame blame = reopened();
  CHECK(blame.is_quiet());
}

TEST_CASE_METHOD(Fixture, "a host that was alone then is not set aside by what it lost", "[driver][memory]") {
  store->opening().worker(kB, 11, "b", "ended");
  store->commit(storage::Durability::full);
  const std::int64_t then = storage::now_ms();
  while (storage::now_ms() == then) {
  }
  store->begin();
  lose(kA, 3);
  CHECK(gets_work(reopened(), kA));
}

TEST_CASE_METHOD(Fixture, "a piece that is to run alone is still to run alone", "[driver][memory]") {
  lose(kA, 1, Cause::crowded);
  lose(kB, 1, Cause::crowded);
  store->attempts().start({piece_of(1), 2, kB});
  store->add(study::Event(study::PieceEnded{support::result_of(1, 2)}));
  const Blame blame = reopened();
  CHECK(crowded.host_of(piece_of(0)) == "a");
  CHECK(crowded.host_of(piece_of(1)).empty());
  CHECK(blame.losses(piece_of(0)) == 0);
}

}  // namespace memory_test
