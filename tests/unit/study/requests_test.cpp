// SPDX-License-Identifier: Apache-2.0
// Requests of people, over a state made by hand.
#include "study/requests.hpp"

#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"
#include "util/error.hpp"

namespace requests_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

Rules with_limit() {
  Rules rules;
  rules.limits.trials = 3;
  return rules;
}

struct Fixture : StateFixture {
  Fixture() : StateFixture(with_limit()) {}
  Output out;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a cancelled trial leaves its workers and its pruner", "[study][requests]") {
  const TrialId id = add_trial(0.5);
  begin_pieces(id);
  state.agenda.retries = {id};
  absorb(state, CancelAsked{id}, out);
  CHECK(state.trials[id].state == TrialState::cancelled);
  CHECK(all<AbandonPiece>(out).size() == 1);
  CHECK(state.agenda.retries.empty());
  CHECK(pruner.heard == std::vector<std::string>{"gone 0"});
  absorb(state, CancelAsked{id}, out);  // once
  absorb(state, CancelAsked{TrialId(7)}, out);
  CHECK(all<TrialChanged>(out).size() == 1);
}

TEST_CASE_METHOD(Fixture, "a cancelled trial closes its round if all pieces are visible", "[study][requests]") {
  const TrialId id = add_trial(0.5);
  Round round;
  round.owed = {0};
  state.rounds.open(id, round);
  absorb(state, CancelAsked{id}, out);
  CHECK(state.rounds.find(id) == nullptr);
  CHECK(pruner.heard == std::vector<std::string>{"value 0 at rung 0: failed", "gone 0"});
  CHECK(sampler.heard == std::vector<std::string>{"result 0: failed"});
}

TEST_CASE_METHOD(Fixture, "a failed trial is retried by the pruner that saw it fail", "[study][requests]") {
  const TrialId id = add_measured(0.5, 1, TrialState::failed);
  state.tested = 2;
  state.stage.end_search("limit of 3 trials", true);
  SECTION("it waits, and the search is open again") {
    absorb(state, RetryAsked{id}, out);
    CHECK(state.trials[id].state == TrialState::waiting);
    CHECK(state.agenda.has_retry(id));
    CHECK(state.stage.is_searching());
    CHECK(state.tested == 0);
    absorb(state, RetryAsked{id}, out);  // it waits already
    CHECK(state.agenda.retries.size() == 1);
  }
  SECTION("not if an amendment replaced the pruner") {
    state.closed_before = TrialId(1);
    absorb(state, RetryAsked{id}, out);
    CHECK(state.trials[id].state == TrialState::failed);
    CHECK(state.stage.is_testing());
  }
}

TEST_CASE_METHOD(Fixture, "points are added beyond the limit, each once", "[study][requests]") {
  add_trial(0.5);
  absorb(state, EnqueueAsked{{0.25}}, out);
  absorb(state, EnqueueAsked{{0.25}}, out);
  absorb(state, EnqueueAsked{{0.5}}, out);
  CHECK(state.agenda.points.size() == 1);
  CHECK(state.rules.limits.trials == 4);
  CHECK(state.agenda.enqueued == 1);
  absorb(state, EnqueueAsked{{std::monostate()}}, out);  // unset values may become other ones
  absorb(state, EnqueueAsked{{std::monostate()}}, out);
  CHECK(state.agenda.points.size() == 3);
}

TEST_CASE_METHOD(Fixture, "an amendment waits in the agenda; without its spec it is an error", "[study][requests]") {
  state.stage.end_search("limit of 3 trials", false);
  Amended event;
  CHECK_THROWS_AS(absorb(state, event, out), Error);
  CHECK(state.stage.is_over());
  event.to = std::make_shared<Amendment>();
  absorb(state, event, out);
  CHECK(state.agenda.amendments.size() == 1);
  CHECK(state.stage.is_searching());
}

TEST_CASE_METHOD(Fixture, "people stop and resume the search", "[study][requests]") {
  absorb(state, StopAsked{"enough"}, out);
  CHECK(state.stage.reason() == "enough");
  absorb(state, Resumed{}, out);
  CHECK_FALSE(state.stage.is_stopped());
}

}  // namespace requests_test
