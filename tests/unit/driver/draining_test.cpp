// SPDX-License-Identifier: Apache-2.0
// Ends of a run: who causes them, the orders to workers, and the lines for people.
#include "driver/draining.hpp"

#include "around.hpp"
#include "driver/request_intake.hpp"
#include "driver/standing.hpp"
#include "support/catch.hpp"

namespace draining_test {

using namespace dlrun;
using namespace dlrun::driver;
using std::chrono::seconds;
using support::piece_of;
using Strings = std::vector<std::string>;

namespace {

struct Sent final : Signals {
  int count() const override { return sent; }
  int sent = 0;
};

/// A worker is there; the run may take 100 seconds.
struct Fixture : support::Around {
  Dispatcher dispatcher;
  Sent signals;
  Outage outage;
  Blame blame;
  Tally tally;
  Curves curves{"value"};
  TimeLimits limits{100, GpuBudget({}, 0, 0), clock.now()};
  Ending ending;
  Inbox incoming;
  SideRows side_rows;
  Outbox outbox;
  Draining draining{{study, executor, dispatcher, signals, outage, limits, clock, display, ending, incoming}};
  Standing standing{{spec, study, tally, curves, dispatcher, blame, limits, ending, clock}};
  Commands commands{spec, study, [this] { return standing.status(); }};
  RequestIntake requests{{commands, draining, side_rows, outbox, display, incoming}};

  Fixture() { dispatcher.worker_ready(0); }
  void start(std::int64_t trial) {
    dispatcher.add({{piece_of(trial), 1, 0, 1, ""}});
    std::ignore = dispatcher.place();
  }
  std::string stop_reason() const {
    return incoming.empty() ? "" : std::get<study::StopAsked>(incoming.front().event).reason;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "one signal lets workers save, two end at once", "[driver][draining]") {
  start(0);
  draining.watch();
  CHECK_FALSE(ending.has_begun());
  signals.sent = 1;
  draining.watch();
  draining.watch();
  CHECK(ending.by() == Ending::By::signal);
  CHECK_FALSE(ending.is_at_once());
  CHECK(executor.lines == Strings{"shut down within 10 s"});
  CHECK(display.all.size() == 1);
  CHECK(incoming.empty());  // the search goes on with the next run
  signals.sent = 2;
  draining.watch();
  CHECK(ending.is_at_once());
}

TEST_CASE_METHOD(Fixture, "a limit of time ends the search too", "[driver][draining]") {
  clock.time += seconds(101);
  draining.watch();
  CHECK(ending.by() == Ending::By::time);
  CHECK(stop_reason() == "limit of 100 seconds (limits.wall)");
  CHECK(executor.lines == Strings{"shut down within 5 s"});  // no worker has work
  CHECK(standing.summary().out_of_time);
  CHECK(standing.summary().reason == "limit of 100 seconds (limits.wall)");
}

TEST_CASE_METHOD(Fixture, "an outage ends the run when nothing is left that may succeed", "[driver][draining]") {
  for (int i = 0; i < Outage::kTries; ++i) outage.lost(piece_of(0), "disk full");
  start(1);
  draining.end_outage();
  CHECK_FALSE(ending.has_begun());
  std::ignore = dispatcher.finished(0, {piece_of(1), 1}, 1);
  draining.end_outage();
  CHECK(ending.by() == Ending::By::outage);
  CHECK(ending.reason() == "disk full");
}

TEST_CASE_METHOD(Fixture, "a person stops the search; its reply waits for the commit", "[driver][requests]") {
  requests.handle(executor::ControlAsked{3, {{"command", "stop"}, {"reason", "enough"}}});
  requests.handle(executor::ControlAsked{3, {{"command", "stop"}, {"reason", "again"}}});
  CHECK(incoming.size() == 1);
  CHECK(stop_reason() == "enough");
  CHECK(ending.by() == Ending::By::person);
  CHECK(executor.lines == Strings{"shut down within 5 s"});
  outbox.release(executor, {});
  CHECK(executor.lines.back() == "reply to 3");
}

TEST_CASE_METHOD(Fixture, "a study that is handed over is not stopped", "[driver][requests]") {
  requests.handle(executor::ControlAsked{3, {{"command", "hand_over"}, {"to", "process 7"}}});
  CHECK(incoming.empty());
  CHECK(standing.summary().interrupted);
  CHECK(standing.summary().reason == "handed over to process 7");
}

TEST_CASE_METHOD(Fixture, "strangers are counted", "[driver][requests]") {
  requests.handle(executor::StrangerRefused{"10.0.0.7", "wrong token", 3});
  CHECK(display.all == Strings{"refused a connection from 10.0.0.7 (and 2 before it): wrong token"});
}

TEST_CASE_METHOD(Fixture, "people see counts of trials and workers", "[driver][standing]") {
  std::ignore = study.decide();
  start(0);
  tally.change(trial::TrialId(0), trial::TrialState::running);
  tally.change(trial::TrialId(1), trial::TrialState::failed);
  clock.time += seconds(5);
  const Progress progress = standing.progress(2);
  CHECK(progress.trials_started == 2);
  CHECK(progress.trials_failed == 1);
  CHECK(progress.running == 1);
  CHECK(progress.epochs_before == 2);
  CHECK(progress.trials_limit == 3);
  CHECK(progress.seconds == 5);
  CHECK(progress.pieces.size() == 1);
  const Json status = standing.status();
  CHECK(status.at("state") == "running");
  CHECK(status.at("failed") == 1);
  CHECK(status.at("workers") == 1);
  CHECK_FALSE(status.contains("best"));
}

TEST_CASE_METHOD(Fixture, "people see running pieces with their curves, by trial", "[driver][standing]") {
  std::ignore = study.decide();
  dispatcher.worker_ready(1);
  start(1);
  start(0);
  curves.add_report({trial::TrialId(1)}, {1, {{"value", 0.5}}});
  curves.add_report({trial::TrialId(1)}, {2, {{"value", 0.25}}});
  const std::vector<RunningPiece> pieces = standing.progress(0).pieces;
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].member.trial.value == 0);
  CHECK(pieces[0].epochs == 0);
  CHECK(pieces[0].curve.empty());
  CHECK(pieces[0].params.contains("x"));
  CHECK(pieces[1].epochs == 2);
  CHECK(pieces[1].curve == std::vector<double>{0.5, 0.25});
}

}  // namespace draining_test
