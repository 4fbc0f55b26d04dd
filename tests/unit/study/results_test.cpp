// SPDX-License-Identifier: Apache-2.0
// Results that enter a state made by hand.
#include "study/results.hpp"

#include "study/objective.hpp"
#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"

namespace results_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

Rules with_two_members() {
  Rules rules;
  rules.members = {.replicates = 2};
  rules.further = {{.metric = "seconds"}};
  return rules;
}

struct Fixture : StateFixture {
  Fixture() : StateFixture(with_two_members()) { begin_pieces(id); }
  TrialId id = add_trial(0.5);
  Output out;

  PieceResult result(int index, double loss, int piece = 0) const {
    PieceResult r;
    r.key = {member(id, index), piece};
    r.attempt = 1;
    r.reports = {{1, {{"loss", loss}, {"seconds", 10 * loss}}}};
    r.artifacts = {{"last", "sha" + std::to_string(index), 1, 1}};
    return r;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a trial has its objective once all members have theirs", "[study][results]") {
  absorb(state, PieceEnded{result(1, 0.5)}, out);
  CHECK(all<MemberMeasured>(out)[0].objective == 0.5);
  CHECK(state.trials[member(id, 1)].last == "sha1");
  CHECK_FALSE(state.trials[id].value());
  CHECK(all<TrialChanged>(out).empty());
  absorb(state, PieceEnded{result(0, 0.25)}, out);
  CHECK(state.trials[id].objective == 0.375);
  CHECK(state.trials.extras(id)[0] == 3.75);
  CHECK(state.trials[id].state == TrialState::paused);
  CHECK(all<TrialChanged>(out).size() == 1);
  CHECK(pruner.heard.empty());  // not visible yet
}

TEST_CASE_METHOD(Fixture, "a trial whose members all end early is complete", "[study][results]") {
  for (const int index : {0, 1}) {
    PieceResult early = result(index, 0.5);
    early.outcome = Outcome::early;
    absorb(state, PieceEnded{early}, out);
  }
  CHECK(state.trials[id].state == TrialState::completed);
  CHECK(state.trials[id].steps == 1);
  CHECK(state.ranking.best() == id);
}

TEST_CASE_METHOD(Fixture, "a result without its metrics fails the attempt", "[study][results]") {
  PieceResult bad = result(0, 0.5);
  SECTION("no objective") { bad.reports[0].metrics[0].name = "cost"; }
  SECTION("no second objective") { bad.reports[0].metrics[1].name = "minutes"; }
  SECTION("a failure") {
    bad.outcome = Outcome::failed;
    bad.cause = Cause::exception;
  }
  absorb(state, PieceEnded{bad}, out);
  CHECK(state.trials[id].state == TrialState::failed);
  CHECK(state.trials[id].cause == Cause::exception);
  CHECK_FALSE(state.trials[member(id, 0)].value());
}

TEST_CASE_METHOD(Fixture, "a later result of the same piece must be equal", "[study][results]") {
  absorb(state, PieceEnded{result(0, 0.5)}, out);
  PieceResult later = result(0, 0.5);
  later.attempt = 2;
  absorb(state, PieceEnded{later}, out);
  CHECK(all<Diverged>(out).empty());
  later.reports[0].metrics[0].value = 0.25;
  absorb(state, PieceEnded{later}, out);
  CHECK(all<Diverged>(out).size() == 1);
  CHECK(state.trials[member(id, 0)].objective == 0.5);
  later.key.member.trial = TrialId(77);
  absorb(state, PieceEnded{later}, out);  // of no trial
  CHECK(all<Diverged>(out).size() == 1);
}

TEST_CASE_METHOD(Fixture, "trials of earlier studies are told to the sampler as costs", "[study][results]") {
  absorb(state, Learned{"before", "hash", {{0, {0.5}, {0.25, 3}, 9, true}, {1, {0.25}, {}, 1, false}}, {}}, out);
  CHECK(sampler.heard == std::vector<std::string>{"learn 2"});
  CHECK(out.effects.empty());
}

TEST_CASE("decisions rest on the metrics of all objectives, then of the bounds", "[study][results]") {
  Rules rules;
  rules.objective.metric = "loss";
  rules.further = {{.metric = "seconds"}};
  rules.bounds = {{"memory", 5, true}};
  CHECK(study::needed_metrics(rules) == std::vector<std::string>{"loss", "seconds", "memory"});
}

}  // namespace results_test
