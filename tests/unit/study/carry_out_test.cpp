// SPDX-License-Identifier: Apache-2.0
// Recorded decisions are checked and come true, over a state made by hand.
#include "study/carry_out.hpp"

#include "study/replay.hpp"
#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"
#include "util/error.hpp"

namespace carry_out_test {

using namespace dlrun;
using namespace dlrun::test;
using Heard = std::vector<std::string>;

namespace {

struct Fixture : StateFixture {
  Output out;

  Decision start() const {
    Decision d;
    d.key = {{TrialId(state.trials.size())}, 0};
    d.to_step = 1;
    d.end = 1000;
    d.values = {0.5};
    return d;
  }
  Decision go_on(TrialId id) const {
    Decision d;
    d.kind = DecisionKind::go_on;
    d.key = {{id}, 1};
    d.from_step = 1;
    d.to_step = 3;
    d.end = 2000;
    return d;
  }
  bool is_possible(const Decision& d) const {
    try {
      require_possible(state, d);
    } catch (const Error&) {
      return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a started trial is known to all, and its piece is under way", "[study][carry_out]") {
  carry_out(state, start(), out);
  CHECK(state.trials[TrialId(0)].state == TrialState::running);
  CHECK(sampler.heard == Heard{"start 0"});
  CHECK(pruner.heard == Heard{"start 0"});
  CHECK(all<StartPiece>(out)[0].to_step == 1);
  CHECK(state.clock.find({{TrialId(0)}, 0}, 1) != nullptr);
  CHECK(state.epochs == 1);
  CHECK(state.next_number == 1);
}

TEST_CASE_METHOD(Fixture, "a point that was asked for leaves the agenda", "[study][carry_out]") {
  state.agenda.points = {{0.5}, {0.25}};
  carry_out(state, start(), out);
  CHECK(state.agenda.points.size() == 1);
}

TEST_CASE_METHOD(Fixture, "an heir has its donor's checkpoints, and is no proposal", "[study][carry_out]") {
  const TrialId donor = add_measured(0.5, 0.25, TrialState::paused);
  state.agenda.points = {{0.125}};
  Decision d = start();
  d.donor = PieceKey{{donor}, 0};
  d.from_step = 1;
  d.to_step = 3;
  CHECK(is_possible(d));
  carry_out(state, d, out);
  CHECK(state.trials[TrialId(1)].donor == donor);
  CHECK(state.trials[TrialId(1)].first == 1);
  CHECK(all<StartPiece>(out)[0].resume == "last");
  CHECK(all<StartPiece>(out)[0].from_step == 1);
  CHECK(sampler.heard.empty());
  CHECK(state.agenda.points.size() == 1);
}

TEST_CASE_METHOD(Fixture, "a promotion claims the trial from its rung", "[study][carry_out]") {
  const TrialId id = add_measured(0.5, 0.25, TrialState::paused);
  CHECK(is_possible(go_on(id)));
  carry_out(state, go_on(id), out);
  CHECK(pruner.heard == Heard{"claim 0 from rung 0"});
  CHECK(all<StartPiece>(out)[0].attempt == 1);
  CHECK_FALSE(is_possible(go_on(id)));  // it is under way
}

TEST_CASE_METHOD(Fixture, "a retry is no promotion, and its attempts have new numbers", "[study][carry_out]") {
  const TrialId id = add_measured(0.5, 0.25, TrialState::waiting);
  state.trials[id].attempts = 4;
  state.agenda.retries = {id};
  carry_out(state, go_on(id), out);
  CHECK(pruner.heard.empty());
  CHECK(all<StartPiece>(out)[0].attempt == 5);
  CHECK(state.agenda.retries.empty());
}

TEST_CASE_METHOD(Fixture, "a trial pruned between its members is told as far as it got", "[study][carry_out]") {
  const TrialId id = add_measured(0.5, 0.25, TrialState::running);
  state.rounds.open(id, {});
  Decision d = go_on(id);
  d.kind = DecisionKind::prune;
  CHECK_FALSE(is_possible(d));
  pruner.judges_members = true;
  state.rounds.find(id)->pending = 1;  // a member is under way
  CHECK_FALSE(is_possible(d));
  state.rounds.find(id)->pending = 0;
  CHECK(is_possible(d));
  carry_out(state, d, out);
  CHECK(sampler.heard == Heard{"result 0: 0.25"});
  CHECK(state.trials[id].state == TrialState::pruned);
  CHECK(state.rounds.find(id) == nullptr);
}

TEST_CASE_METHOD(Fixture, "decisions that do not fit the state are errors", "[study][replay]") {
  CHECK(is_possible(start()));
  Decision d = start();
  SECTION("another trial's number") { d.key.member.trial = TrialId(1); }
  SECTION("another budget") { d.to_step = 3; }
  SECTION("outside the space") { d.values = {1.5}; }
  SECTION("a donor that is none") { d.donor = PieceKey{{TrialId(5)}, 0}; }
  SECTION("a member that no trial has") { d.key.member.replicate = 1; }
  SECTION("an unknown trial") { d = go_on(TrialId(3)); }
  SECTION("an amendment that nobody made") { d.kind = DecisionKind::amend; }
  SECTION("more idle lanes than are free") {
    d.kind = DecisionKind::idle;
    d.lanes = 3;
    d.end = 0;
  }
  CHECK_FALSE(is_possible(d));
}

TEST_CASE_METHOD(Fixture, "decisions follow one another", "[study][replay]") {
  Decision d = start();
  CHECK_NOTHROW(require_follows(state, d));
  d.number = 1;
  CHECK_THROWS_AS(require_follows(state, d), Error);
  d = start();
  d.lane = 3;
  CHECK_THROWS_AS(require_follows(state, d), Error);
  state.stage.end_search("over", false);
  CHECK_THROWS_AS(require_follows(state, start()), Error);
}

}  // namespace carry_out_test
