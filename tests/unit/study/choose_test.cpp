// SPDX-License-Identifier: Apache-2.0
// The order of choices, over a state made by hand and a scripted pruner.
#include "study/choose.hpp"

#include "study/choose_trial.hpp"
#include "study/reasons.hpp"
#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"

namespace choose_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

struct Fixture : StateFixture {
  using StateFixture::StateFixture;
  Fixture() { sampler.proposals = {{0.75}}; }
  Decision next() { return *choose(state, {.lane = 2, .at = 5000}); }
  /// Trial 0, paused at rung 0.
  TrialId paused() { return add_measured(0.5, 0.25, TrialState::paused); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a new trial is the sampler's proposal", "[study][choose]") {
  const Decision d = next();
  CHECK(d.kind == DecisionKind::start);
  CHECK(d.values == space::Values{0.75});
  CHECK(d.key.member.trial == TrialId(0));
  CHECK(d.reason == "by script");
  CHECK(d.to_step == 1);
  CHECK(d.lane == 2);
  CHECK(d.end == 6000);  // 1000 ticks an epoch
}

TEST_CASE_METHOD(Fixture, "each choice comes before the ones below it", "[study][choose]") {
  const TrialId id = paused(), failed = add_measured(0.3, 1, TrialState::waiting);
  pruner.promotion = pruners::Promotion{id, 0, "rung 0"};
  CHECK(next().reason == "rung 0; loss 0.25");
  CHECK(next().to_step == 3);
  state.agenda.points = {{0.125}};
  CHECK(next().reason == "asked for");
  state.agenda.retries = {failed};
  CHECK(next().reason == "asked to try again");
  CHECK(next().key == PieceKey{{failed}, 1});
  const TrialId begun = add_trial(0.2);
  Round round;
  round.owed = {0};
  state.rounds.open(begun, round);
  CHECK(next().key == PieceKey{{begun}, 0});
  pruner.stop = pruners::Stop{id, 0, "too bad"};
  CHECK(next().kind == DecisionKind::prune);
  CHECK(next().reason == "too bad; loss 0.25");
}

TEST_CASE_METHOD(Fixture, "a failed trial is retried once its failure is visible", "[study][choose]") {
  const TrialId failed = add_measured(0.3, 1, TrialState::waiting);
  state.agenda.retries = {failed};
  begin_pieces(failed, 1);
  CHECK(next().kind == DecisionKind::start);
}

TEST_CASE_METHOD(Fixture, "a member is judged before the next one starts", "[study][choose]") {
  pruner.judges_members = true;
  const TrialId id = add_trial(0.2);
  Round round;
  round.owed = {0};
  round.pending = 1;
  state.rounds.open(id, round);
  CHECK(next().kind == DecisionKind::start);
  state.rounds.find(id)->pending = 0;
  CHECK(next().kind == DecisionKind::go_on);
}

TEST_CASE_METHOD(Fixture, "while an heir is due nothing else begins", "[study][choose]") {
  const TrialId donor = paused();
  pruner.heir = pruners::Heir{donor, 0, "best of 4"};
  const Decision d = next();
  CHECK(d.donor == PieceKey{{donor}, 0});
  CHECK(d.from_step == 1);
  CHECK(d.to_step == 3);
  CHECK_THAT(d.reason, Contains("best of 4"));
  CHECK(d.values != state.trials.values(donor));
  state.rules.limits.epochs = 1;  // enough for a new trial, not for the heir
  CHECK(next().kind == DecisionKind::finish);
}

TEST_CASE_METHOD(Fixture, "what waited for new trials continues when none will come", "[study][choose]") {
  pruner.promotion_at_end = pruners::Promotion{paused(), 0, "at the end"};
  sampler.proposals.clear();
  CHECK_THAT(next().reason, Contains("at the end"));
}

TEST_CASE_METHOD(Fixture, "limits on epochs count decided and owed ones", "[study][choose]") {
  state.rules.limits.epochs = 6;
  state.epochs = 3;
  Round round;
  round.epochs = 2;
  round.owed = {0};
  state.rounds.open(paused(), round);
  CHECK(state.has_epochs_for(1));
  CHECK_FALSE(state.has_epochs_for(2));
}

TEST_CASE_METHOD(Fixture, "with nothing to decide a lane stands idle, or the search ends", "[study][choose]") {
  sampler.proposals.clear();
  sampler.reason = "all points are tried";
  CHECK(next().kind == DecisionKind::finish);
  CHECK(next().reason == "all points are tried");
  begin_pieces(add_trial(0.5));
  CHECK(next().kind == DecisionKind::idle);
  CHECK(next().end == 1000);
  state.rules.arrival = true;
  CHECK_FALSE(choose(state, {}));
}

TEST_CASE_METHOD(Fixture, "before an amendment decided work finishes, and nothing begins", "[study][choose]") {
  state.agenda.amendments.push_back({.version = 2});
  state.agenda.points = {{0.125}};
  const TrialId id = add_trial(0.5);
  begin_pieces(id);
  CHECK(next().kind == DecisionKind::idle);
  piece(id).value = 0.5;
  state.clock.end(piece(id));
  (void)state.clock.reveal(1000);
  CHECK(next().kind == DecisionKind::amend);
  CHECK(next().reason == "version 2 of the spec");
}

TEST_CASE_METHOD(Fixture, "the end of a search names the limit", "[study][reasons]") {
  state.rules.limits.trials = 1;
  paused();
  CHECK(closing_reason(state) == "limit of 1 trial");
  state.rules.limits.trials.reset();
  state.rules.limits.epochs = 0;
  CHECK(closing_reason(state) == "limit of 0 epochs");
  pruner.wants_new = false;
  CHECK(closing_reason(state) == "the pruner wants no more");
}

TEST_CASE("members are named by their replicate and fold", "[study][reasons]") {
  CHECK(member_name({1, 1}, {TrialId(0)}).empty());
  CHECK(member_name({5, 1}, {TrialId(0), 1, 0}) == "replicate 1 of 5");
  CHECK(member_name({5, 10}, {TrialId(0), 1, 3}) == "replicate 1 of 5, fold 3 of 10");
}

TEST_CASE_METHOD(Fixture, "a reason shows the trial's numbers", "[study][reasons]") {
  Rules rules;
  rules.bounds = {{.metric = "seconds", .limit = 2}};
  StateFixture bounded(rules);
  const TrialId id = bounded.add_measured(0.5, 0.25, TrialState::paused);
  bounded.state.trials.extras(id)[0] = 3;
  CHECK(with_metric(bounded.state, "rung 0", id) == "rung 0; loss 0.25, infeasible by 0.5");
  bounded.state.rounds.open(id, {});  // between two members
  CHECK(with_metric(bounded.state, "rung 0", id) == "rung 0; loss 0.25");
}

}  // namespace choose_test
