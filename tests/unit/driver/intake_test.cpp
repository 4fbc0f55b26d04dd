// SPDX-License-Identifier: Apache-2.0
// Events that results and workers become, and answers that leave at once.
#include "around.hpp"
#include "driver/result_intake.hpp"
#include "driver/worker_intake.hpp"
#include "support/catch.hpp"

namespace intake_test {

using namespace dlrun;
using namespace dlrun::driver;
using support::piece_of;
using Strings = std::vector<std::string>;

namespace {

/// The study's three pieces are decided and wait in the dispatcher.
struct Fixture : support::Around {
  Dispatcher dispatcher;
  SideRows side_rows;
  Blame blame;
  Crowded crowded;
  Outage outage;
  Adoption adoption;
  Tally tally;
  Curves curves{"value"};
  ObjectiveHint hint{spec, study, display};
  Ending ending;
  Inbox incoming;
  Stages stages{spec, folder / "stages", [](trial::TrialId) { return std::nullopt; }};
  Stragglers stragglers{std::nullopt};
  RunOrder run_order{spec, study};
  Metering metering{{}, clock.now()};
  Citing citing{[](const auto&, const auto&) { return std::nullopt; }, ""};
  Retrying retrying{{spec.retry_delay, blame, crowded, clock}};
  Mending mending{{spec, study, *store, dispatcher, side_rows, display, clock}};
  Placing placing{{spec, study, *store, executor, dispatcher, blame, stages, stragglers, run_order, side_rows, clock}};
  Judging judging{{blame, crowded, outage, side_rows, display, clock, 0}};
  ResultIntake results{{study, executor, dispatcher, metering, mending, judging, adoption, citing, stragglers,
                        run_order, stages, tally, curves, hint, side_rows, clock, incoming}};
  WorkerIntake workers{{study, *store, executor, dispatcher, placing, mending, judging, blame, metering, adoption,
                        citing, retrying, stragglers, stages, side_rows, display, ending, incoming}};

  Fixture() {
    for (const study::Effect& effect : study.decide().effects) {
      if (const auto* start = std::get_if<study::StartPiece>(&effect)) dispatcher.add({*start});
    }
  }
  /// Each gets a piece, while there are any.
  void ready(std::int64_t worker, const std::vector<executor::AttemptKey>& holds = {}) {
    workers.handle(executor::WorkerReady{.worker = worker, .pid = 1, .host = "node01", .holds = holds});
    placing.place();
    executor.lines.clear();
  }
  void come(std::int64_t worker, trial::PieceResult result) {
    executor::ResultCame came{worker, std::move(result)};
    results.handle(came);
  }
  void end(std::int64_t worker, bool is_expected = false, trial::Cause cause = trial::Cause::worker_lost) {
    executor::WorkerEnded ended{.worker = worker, .pid = 1, .host = "node01", .is_expected = is_expected};
    ended.cause = cause;
    ended.message = "killed by signal 9 (Killed)";
    workers.handle(ended);
  }
  bool is_waiting(std::int64_t trial) { return dispatcher.take_waiting({piece_of(trial), 1}).has_value(); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a result becomes an event that its worker waits for", "[driver][intake]") {
  ready(0);
  come(0, measured(0, 0.5));
  REQUIRE(incoming.size() == 1);
  CHECK(std::get<study::PieceEnded>(incoming[0].event).result.key == piece_of(0));
  CHECK(incoming[0].worker == 0);
  CHECK(executor.lines.empty());  // acknowledged after the commit
}

TEST_CASE_METHOD(Fixture, "an attempt whose result came is awaited no more", "[driver][intake]") {
  ready(0);
  adoption.wait_for({{piece_of(0), 1, 0, 1, ""}, {piece_of(1), 1, 0, 1, ""}}, clock.now());
  come(0, measured(0, 0.5));
  CHECK(adoption.waiting() == 1);
  CHECK(adoption.claim({piece_of(1), 1}));
}

TEST_CASE_METHOD(Fixture, "what a worker says of its machine is told, though another ends without a word",
                 "[driver][intake]") {
  ready(0);
  ready(1);
  trial::PieceResult failed{.key = piece_of(0), .attempt = 1, .outcome = trial::Outcome::failed};
  failed.cause = trial::Cause::machine;
  failed.message = "no library";
  come(0, failed);
  end(1, false, trial::Cause::machine);
  CHECK(outage.has_begun());
  CHECK(outage.message() == "no library");
}

TEST_CASE_METHOD(Fixture, "a worker may not answer for an attempt that another one holds", "[driver][intake]") {
  ready(0);
  ready(1);
  come(1, measured(0, 0.5));
  CHECK(incoming.empty());
  CHECK(executor.lines == Strings{"fenced to 1"});
}

TEST_CASE_METHOD(Fixture, "a cancelled result of a wanted attempt is no failure: the piece waits again",
                 "[driver][intake]") {
  ready(0);
  come(0, failed(0, trial::Cause::cancelled, "told to give up"));
  CHECK(incoming.empty());
  CHECK(executor.lines == Strings{"fenced to 0"});
  CHECK(is_waiting(0));
}

TEST_CASE_METHOD(Fixture, "reports count for the attempt that is wanted", "[driver][intake]") {
  executor::ReportCame other{.worker = 0, .attempt = {piece_of(0), 2}, .report = {1, {}}};
  results.handle(other);
  CHECK_FALSE(side_rows.is_due(clock.now() + std::chrono::hours(1)));
  executor::ReportCame wanted{.worker = 0, .attempt = {piece_of(0), 1}, .report = {1, {{"loss", 2}, {"value", 0.5}}}};
  results.handle(wanted);
  REQUIRE(curves.find({trial::TrialId(0)}));
  CHECK(curves.find({trial::TrialId(0)})->values() == std::vector<double>{0.5});
  CHECK(side_rows.is_due(clock.now() + std::chrono::hours(1)));
}

TEST_CASE_METHOD(Fixture, "a worker that ends loses the piece it ran", "[driver][intake]") {
  ready(0);
  end(0);
  REQUIRE(incoming.size() == 1);
  const auto& lost = std::get<study::AttemptLost>(incoming[0].event);
  CHECK(lost.key == piece_of(0));
  CHECK(lost.message == "killed by signal 9 (Killed)");
  CHECK(display.all.back() == "trial 0, attempt 1: its worker 0 ended: killed by signal 9 (Killed)");
  CHECK(is_waiting(1));
}

TEST_CASE_METHOD(Fixture, "a worker that ends loses nothing while the run ends", "[driver][intake]") {
  ready(0);
  ending.begin(Ending::By::person, "stopped");
  end(0, true);
  CHECK(incoming.empty());
  CHECK(display.all.empty());
}

TEST_CASE_METHOD(Fixture, "a worker continues what it holds if that is wanted", "[driver][intake]") {
  workers.handle(
      executor::WorkerReady{.worker = 4, .pid = 1, .host = "node01", .holds = {{piece_of(1), 1}, {piece_of(2), 5}}});
  CHECK(executor.lines == Strings{"assign to 4", "abandon to 4"});
  CHECK(display.all == Strings{"trial 1, attempt 1: worker 4 goes on with it"});
  CHECK_FALSE(is_waiting(1));
}

TEST_CASE_METHOD(Fixture, "a worker's warning is told once", "[driver][intake]") {
  for (int i = 0; i < 2; ++i) {
    executor::WorkerPrepared prepared{.worker = 0, .runtime = {.warning = "no GPU"}};
    workers.handle(prepared);
  }
  CHECK(display.all == Strings{"warning: no GPU"});
}

TEST_CASE_METHOD(Fixture, "a piece that ran out of memory beside others runs again alone", "[driver][judging]") {
  blame.worker_ready(0, "node01");
  trial::PieceResult result = failed(0, trial::Cause::oom, "out of memory");
  judging.judge(0, result, true);
  CHECK(result.cause == trial::Cause::crowded);
  CHECK(result.message == "out of memory; others ran beside it");
  CHECK(display.all.front() ==
        "trial 0, attempt 1: out of memory; others ran beside it: it runs again, alone on its host");
  trial::PieceResult again = failed(0, trial::Cause::oom, "out of memory");
  judging.judge(0, again, true);
  CHECK(again.cause == trial::Cause::oom);
}

TEST_CASE_METHOD(Fixture, "faults of a machine are told once until a piece succeeds", "[driver][judging]") {
  blame.worker_ready(0, "node01");
  for (int i = 0; i < 2; ++i) {
    trial::PieceResult result = failed(0, trial::Cause::machine, "disk full");
    judging.judge(0, result, false);
  }
  CHECK(display.all == Strings{"trial 0, attempt 1: disk full: no fault of the trial, it is tried again"});
  CHECK(outage.has_begun());
  trial::PieceResult done = measured(0, 0.5);
  done.message = "slow disk";
  judging.judge(0, done, false);
  CHECK_FALSE(outage.has_begun());
  CHECK(display.all.back() == "warning: trial 0: slow disk");
  CHECK(side_rows.needs_full_commit());
}

}  // namespace intake_test
