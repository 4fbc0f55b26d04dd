// SPDX-License-Identifier: Apache-2.0
// Rows of one transaction, and the orders that its effects leave for the outbox.
#include "driver/recorder.hpp"

#include <cmath>

#include "around.hpp"
#include "support/catch.hpp"

namespace recorder_test {

using namespace dlrun;
using namespace dlrun::driver;
using support::piece_of;
using Strings = std::vector<std::string>;

namespace {

struct Fixture : support::Around {
  Outbox outbox;
  Blame blame;
  Crowded crowded;
  Retrying retrying{{spec.retry_delay, blame, crowded, clock}};
  Citing citing{[](const auto&, const auto&) { return std::nullopt; }, ""};
  Adoption adoption;
  Stages stages{spec, folder / "stages", [](trial::TrialId) { return std::nullopt; }};
  Tally tally;
  Curves curves{"value"};
  Effects effects{{spec, study, *store, outbox, citing, retrying, adoption, stages, tally, curves, display}};
  Origins origins{spec, study};
  Recorder recorder{{study, *store, effects, retrying, origins, outbox, display}};
  std::vector<Work> started;

  template <class Step>
  void in_transaction(const Step& step) {
    store->begin();
    step();
    store->commit(storage::Durability::normal);
    release();
  }
  void decide() {
    in_transaction([this] { recorder.decide(); });
  }
  void absorb(Incoming incoming) {
    in_transaction([&] { recorder.absorb(incoming); });
  }
  void carry_out(const study::Effect& effect, Clock::duration wait = {}) {
    in_transaction([&] { effects.carry_out({effect}, wait); });
  }
  void release() {
    outbox.release(executor,
                   {[](const executor::AttemptKey&) { return std::optional<std::int64_t>(7); },
                    [this](Work work) { started.push_back(std::move(work)); },
                    [this](trial::TrialId id) { executor.lines.push_back(fmt::format("partials of {}", id.value)); }});
  }
  Incoming result(std::int64_t trial, double value, int attempt = 1) const {
    const executor::AttemptKey key{piece_of(trial), attempt};
    return {.event = study::PieceEnded{measured(trial, value, attempt)}, .worker = trial, .attempt = key};
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "decisions are rows, and their pieces start after the commit", "[driver][recorder]") {
  decide();
  CHECK(rows<study::Decision>() == 4);  // three pieces, then a lane stands idle
  CHECK(started.size() == 3);
}

TEST_CASE_METHOD(Fixture, "a result counts once, and its worker is answered", "[driver][recorder]") {
  decide();
  absorb(result(0, 0.5));
  CHECK(rows<study::PieceEnded>() == 1);
  absorb(result(0, 0.4));
  absorb(result(1, 0.4, 2));  // no such attempt was decided
  CHECK(rows<study::PieceEnded>() == 1);
  CHECK(executor.lines == Strings{"ack to 0", "fenced to 0", "fenced to 1"});
}

// The attempt of such a result stood as completed in the store, though the study took it for a failure.
TEST_CASE_METHOD(Fixture, "a result without a finite number is recorded as a failure", "[driver][recorder]") {
  decide();
  absorb(result(0, std::nan("")));
  store->replay([](const storage::LogRow& row) {
    const auto* event = std::get_if<study::Event>(&row);
    const auto* ended = event ? std::get_if<study::PieceEnded>(event) : nullptr;
    if (ended == nullptr) return;
    CHECK(ended->result.outcome == trial::Outcome::failed);
    CHECK(ended->result.cause == trial::Cause::nan);
    CHECK(ended->result.message == "'value' is nan at epoch 1");
  });
  CHECK(rows<study::PieceEnded>() == 1);
  CHECK(study.trial(trial::TrialId(0)).state == trial::TrialState::failed);
}

TEST_CASE_METHOD(Fixture, "a loss is recorded only of the attempt that counts", "[driver][recorder]") {
  decide();
  absorb({study::AttemptLost{piece_of(0), 2, trial::Cause::worker_lost, "", ""}});
  CHECK(rows<study::AttemptLost>() == 0);
  absorb({study::AttemptLost{piece_of(0), 1, trial::Cause::worker_lost, "", ""}});
  CHECK(rows<study::AttemptLost>() == 1);
  CHECK(started.back().attempt() == executor::AttemptKey{piece_of(0), 2});
}

TEST_CASE_METHOD(Fixture, "a cited result is recorded without a worker, and counted", "[driver][recorder]") {
  decide();
  absorb({.event = study::PieceEnded{measured(0, 0.5)}, .citation = storage::Citation{"earlier", piece_of(3), {}}});
  CHECK(rows<study::PieceEnded>() == 1);
  CHECK(recorder.cited() == 1);
  CHECK(executor.lines.empty());
}

TEST_CASE_METHOD(Fixture, "a test that failed is told", "[driver][recorder]") {
  decide();
  absorb({study::TestMeasured{failed(0, trial::Cause::exception, "no such file")}});
  CHECK(display.all.back() == "warning: trial 0: the test split was not measured: no such file");
}

TEST_CASE_METHOD(Fixture, "work leaves when its wait is over; each test has an attempt of its own",
                 "[driver][effects]") {
  carry_out(study::StartPiece{piece_of(0), 1, 0, 1, ""}, std::chrono::seconds(3));
  const study::MeasureTest test{piece_of(0).member, "", 1};
  carry_out(test);
  carry_out(test);
  REQUIRE(started.size() == 3);
  CHECK(started[0].not_before == clock.now() + std::chrono::seconds(3));
  CHECK(started[1].is_test);
  CHECK(started[1].piece.attempt == 1);
  CHECK(started[2].piece.attempt == 2);
}

TEST_CASE_METHOD(Fixture, "an abandoned attempt is forgotten and its worker told", "[driver][effects]") {
  adoption.wait_for({{piece_of(1), 1, 0, 1, ""}}, clock.now());
  in_transaction([&] {
    effects.carry_out({study::StartPiece{piece_of(1), 1, 0, 1, ""}, study::AbandonPiece{piece_of(1), 1}});
  });
  CHECK(started.empty());
  CHECK(adoption.waiting() == 0);
  CHECK(executor.lines == Strings{"abandon to 7"});
}

TEST_CASE_METHOD(Fixture, "only a training that never resumes gives up what it saved", "[driver][effects]") {
  using trial::TrialState;
  decide();
  executor.lines.clear();
  const auto change = [this](std::int64_t trial, TrialState state) {
    carry_out(study::TrialChanged{.trial = trial::TrialId(trial), .state = state, .message = "killed"});
  };
  change(0, TrialState::completed);
  CHECK(executor.lines.empty());  // a function keeps nothing
  spec.kind = "train";
  change(0, TrialState::completed);
  change(1, TrialState::failed);
  change(2, TrialState::paused);
  CHECK(executor.lines == Strings{"partials of 0"});
  CHECK(display.all.back() == "trial 1 failed: killed");
  CHECK(tally.in(TrialState::failed) == 1);
}

}  // namespace recorder_test
