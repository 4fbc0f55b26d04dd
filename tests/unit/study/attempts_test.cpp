// SPDX-License-Identifier: Apache-2.0
// Attempts of decided pieces, over a state made by hand.
#include "study/attempts.hpp"

#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"

namespace attempts_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

Rules with_two_members() {
  Rules rules;
  rules.members = {.replicates = 2};
  rules.retries = {{Cause::signal, 1}};
  return rules;
}

struct Fixture : StateFixture {
  Fixture() : StateFixture(with_two_members()) { begin_pieces(id); }
  TrialId id = add_trial(0.5);
  Output out;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an order names the steps of its piece and the checkpoint", "[study][attempts]") {
  state.trials[member(id, 1)].last = "checkpoint";
  const StartPiece start = start_of(state, {.key = {member(id, 1), 1}}, 2, 1);
  CHECK(start.from_step == 1);
  CHECK(start.to_step == 3);
  CHECK(start.resume == "checkpoint");
  CHECK(start.attempt == 2);
  CHECK(start.copy_of == 1);
}

TEST_CASE_METHOD(Fixture, "an allowed failure gives the piece a new attempt", "[study][attempts]") {
  fail_attempt(state, piece(id), {1, Cause::signal, "killed"}, out);
  REQUIRE(all<StartPiece>(out).size() == 1);
  CHECK(all<StartPiece>(out)[0].attempt == 2);
  CHECK(state.trials[id].attempts == 1);
  CHECK(state.trials[id].state == TrialState::running);
  SECTION("once") {
    fail_attempt(state, piece(id), {2, Cause::signal, "killed"}, out);
    CHECK(state.trials[member(id, 0)].has_failed);
    CHECK(state.trials[id].state == TrialState::failed);
    CHECK(all<TrialChanged>(out)[0].message == "killed");
    CHECK(piece(id).has_ended);
  }
}

TEST_CASE_METHOD(Fixture, "the first member in order that fails gives the trial its cause", "[study][attempts]") {
  fail_attempt(state, piece(id, 1), {1, Cause::oom, "no memory"}, out);
  CHECK(state.trials[id].cause == Cause::oom);
  fail_attempt(state, piece(id, 0), {1, Cause::nan, "not a number"}, out);
  CHECK(state.trials[id].cause == Cause::nan);
  CHECK(all<TrialChanged>(out).size() == 2);
}

TEST_CASE_METHOD(Fixture, "a later member that fails second changes nothing", "[study][attempts]") {
  fail_attempt(state, piece(id, 0), {1, Cause::nan, "not a number"}, out);
  fail_attempt(state, piece(id, 1), {1, Cause::oom, "no memory"}, out);
  CHECK(state.trials[id].cause == Cause::nan);
  CHECK(all<TrialChanged>(out).size() == 1);
}

TEST_CASE_METHOD(Fixture, "while two attempts run, the loss of one is no failure", "[study][attempts][copies]") {
  absorb(state, AttemptCopied{{member(id, 0), 0}, 1}, out);
  CHECK(all<StartPiece>(out)[0].attempt == 2);
  CHECK(all<StartPiece>(out)[0].copy_of == 1);
  absorb(state, AttemptCopied{{member(id, 0), 0}, 2}, out);  // a copy gets none
  CHECK(all<StartPiece>(out).size() == 1);
  SECTION("the copy goes on") {
    absorb(state, AttemptLost{{member(id, 0), 0}, 1, Cause::worker_lost, "", ""}, out);
    CHECK(piece(id).running() == std::vector<int>{2});
  }
  SECTION("the winner stops the other") {
    overtake(piece(id), 2, out);
    REQUIRE(out.events.size() == 1);
    CHECK(std::get<AttemptLost>(out.events[0]).attempt == 1);
    CHECK(all<AbandonPiece>(out)[0].attempt == 1);
  }
  CHECK(all<TrialChanged>(out).empty());
}

TEST_CASE_METHOD(Fixture, "an attempt that is not under way cannot be lost", "[study][attempts]") {
  absorb(state, AttemptLost{{member(id, 0), 0}, 2, Cause::driver_lost, "", ""}, out);
  absorb(state, AttemptLost{{member(id, 0), 1}, 1, Cause::driver_lost, "", ""}, out);
  CHECK(out.effects.empty());
}

}  // namespace attempts_test
