// SPDX-License-Identifier: Apache-2.0
// The end of a search and its tests, and amendments, over a state made by hand.
#include "study/ending.hpp"

#include "study/amend.hpp"
#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"

namespace ending_test {

using namespace dlrun;
using namespace dlrun::test;
using Heard = std::vector<std::string>;

namespace {

Rules with_tests() {
  Rules rules;
  rules.test_best = true;
  rules.members = {.replicates = 2};
  return rules;
}

struct Fixture : StateFixture {
  Fixture() : StateFixture(with_tests()) {}
  Output out;

  TestMeasured test_of(TrialId id, int index, Outcome outcome = Outcome::completed) const {
    TestMeasured event;
    event.result.key.member = member(id, index);
    event.result.outcome = outcome;
    event.result.cause = Cause::worker_lost;
    return event;
  }
  TrialId completed(double objective) {
    const TrialId id = add_measured(0.5, objective, TrialState::completed);
    state.ranking.note_completed(id);
    return id;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "paused trials end with the search", "[study][ending]") {
  add_measured(0.5, 0.25, TrialState::paused);
  add_measured(0.5, 0.125, TrialState::paused);
  state.rules.limits.target = 0.2;
  finish(state, "limit of 2 trials", out);
  CHECK(state.trials[TrialId(0)].state == TrialState::pruned);
  CHECK(state.trials[TrialId(1)].state == TrialState::completed);
  CHECK(all<TrialChanged>(out)[0].message == "not among those that went on from rung 0");
  CHECK(state.stage.reason() == "limit of 2 trials");
}

TEST_CASE_METHOD(Fixture, "a paused trial is complete where nothing more was planned", "[study][ending]") {
  add_measured(0.5, 0.25, TrialState::paused);
  pruner.is_whole = true;
  end_paused(
      state, [](TrialId) { return "why"; }, out);
  CHECK(state.trials[TrialId(0)].state == TrialState::completed);
}

TEST_CASE_METHOD(Fixture, "members of the best trial are tested one after the other", "[study][ending]") {
  completed(0.5);
  const TrialId best = completed(0.25);
  finish(state, "limit of 2 trials", out);
  CHECK(state.stage.is_testing());
  CHECK(all<MeasureTest>(out).back().member == member(best, 0));
  absorb(state, test_of(best, 1), out);  // not its turn
  CHECK(all<MeasureTest>(out).size() == 1);
  absorb(state, test_of(best, 0), out);
  CHECK(all<MeasureTest>(out).back().member == member(best, 1));
  state.failures.allow({{Cause::worker_lost, 1}});
  absorb(state, test_of(best, 1, Outcome::failed), out);  // once more
  CHECK(all<MeasureTest>(out).size() == 3);
  absorb(state, test_of(best, 1, Outcome::failed), out);
  CHECK(state.stage.is_over());
  CHECK(all<Finished>(out)[0].reason == "limit of 2 trials");
}

TEST_CASE_METHOD(Fixture, "all completed trials are tested if the rules say so", "[study][ending]") {
  const TrialId first = completed(0.5);
  add_measured(0.5, 0.125, TrialState::pruned);
  completed(0.25);
  state.rules.test_all = true;
  CHECK(members_to_test(state).size() == 4);
  CHECK(members_to_test(state)[0] == member(first, 0));
}

TEST_CASE_METHOD(Fixture, "the test is of the best weights, where these are kept", "[study][ending]") {
  const TrialId id = completed(0.5);
  state.rules.objective.at_best = true;
  state.trials[member(id, 0)].best = "best";
  ask_test(state, out);
  state.tested = 1;
  ask_test(state, out);
  CHECK(all<MeasureTest>(out)[0].artifact == "best");
  CHECK(all<MeasureTest>(out)[1].artifact == "last");
}

TEST_CASE_METHOD(Fixture, "without a best trial there is nothing to test", "[study][ending]") {
  finish(state, "limit of 0 trials", out);
  CHECK(state.stage.is_over());
  CHECK(all<Finished>(out).size() == 1);
}

TEST_CASE_METHOD(Fixture, "an amendment widens the space and adds to the limit", "[study][amend]") {
  const TrialId id = completed(0.5);
  state.agenda.points = {{0.25}};
  state.agenda.enqueued = 2;
  auto to = std::make_shared<Amendment>();
  to->rules = state.rules;
  to->rules.limits = {.trials = 5, .target = 0.5};
  to->space = space::Space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}});
  to->defaults = {0.125};
  state.agenda.amendments.push_back({.to = to});
  amend(state, 7000, out);
  CHECK(state.trials.values(id) == space::Values{0.5, 0.125});
  CHECK(state.agenda.points[0] == space::Values{0.25, std::monostate()});
  CHECK(state.rules.limits.trials == 7);
  CHECK(state.progress.has_met_target());
  CHECK(state.clock.next()->at == 7000);
  CHECK(pruner.heard == Heard{"gone 0"});  // short of its budget, its checkpoint is lost
}

TEST_CASE_METHOD(Fixture, "an amended pruner begins without the trials so far", "[study][amend]") {
  add_measured(0.5, 0.25, TrialState::paused);
  auto to = std::make_shared<Amendment>();
  to->rules = state.rules;
  to->rules.epochs = 4;
  to->space = state.space;
  to->pruner = pruners::PrunerOptions{};
  state.agenda.amendments.push_back({.to = to});
  amend(state, 0, out);
  CHECK(all<TrialChanged>(out)[0].message == "the amended pruner begins anew");
  CHECK(state.closed_before == TrialId(1));
  CHECK(state.rungs.epochs_at(0) == 4);
}

}  // namespace ending_test
