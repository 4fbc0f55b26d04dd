// SPDX-License-Identifier: Apache-2.0
// Results become visible, over a state made by hand.
#include "study/reveal.hpp"

#include "unit/study/fakes.hpp"
#include "unit/study/helpers.hpp"

namespace reveal_test {

using namespace dlrun;
using namespace dlrun::test;
using Heard = std::vector<std::string>;

namespace {

Rules with_two_members() {
  Rules rules;
  rules.members = {.replicates = 2};
  rules.limits.target = 0.1;
  return rules;
}

struct Fixture : StateFixture {
  Fixture() : StateFixture(with_two_members()) { begin_pieces(id); }
  TrialId id = add_measured(0.5, 0.25, TrialState::paused);

  void end(int index, std::optional<double> value) {
    piece(id, index).value = value;
    if (value) piece(id, index).curve = {{1, *value}};
    state.clock.end(piece(id, index));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "results are visible at their logical time, together", "[study][reveal]") {
  end(0, 0.25);
  end(1, 0.25);
  reveal(state, 999);
  CHECK(pruner.heard.empty());
  reveal(state, 1000);
  CHECK(pruner.heard == Heard{"value 0 at rung 0: 0.25"});
  CHECK(sampler.heard == Heard{"result 0: 0.25"});
  CHECK(state.rounds.find(id) == nullptr);
  CHECK_FALSE(state.progress.is_over());
}

TEST_CASE_METHOD(Fixture, "a trial fails with one of its members", "[study][reveal]") {
  end(0, 0.25);
  end(1, std::nullopt);
  reveal(state, 1000);
  CHECK(pruner.heard == Heard{"value 0 at rung 0: failed"});
  CHECK(sampler.heard == Heard{"result 0: failed"});
}

TEST_CASE_METHOD(Fixture, "a member that ended early in an earlier round stands in with its objective",
                 "[study][reveal]") {
  study::Round second;
  second.piece = 1;
  second.curves = {{{2, 0.5}, {3, 0.75}}};
  study::MemberRecord& ended = state.trials[member(id, 1)];
  ended.has_ended = GENERATE(true, false);
  state.rounds.close(id);
  state.rounds.open(id, second);
  close_round(state, id);
  const double shared = ended.has_ended ? 0.25 : 0.5;  // 0.25 is what the other measured
  REQUIRE(pruner.curve.size() == 2);
  CHECK(pruner.curve[0].epoch == 2);
  CHECK(pruner.curve[0].value == (0.5 + shared) / 2);
  CHECK(pruner.curve[1].value == (ended.has_ended ? 0.5 : 0.75));
}

TEST_CASE_METHOD(Fixture, "a pruner that judges members is told each of them", "[study][reveal]") {
  pruner.judges_members = true;
  end(0, 0.5);
  end(1, 0.125);
  reveal(state, 1000);
  CHECK(pruner.heard == Heard{"member 0.0: 0.5", "member 0.1: 0.125", "value 0 at rung 0: 0.25"});
}

TEST_CASE_METHOD(Fixture, "a visible value may meet the target", "[study][reveal]") {
  state.trials[id].objective = 0.1;
  close_round(state, id);
  CHECK(state.progress.has_met_target());
}

TEST_CASE_METHOD(Fixture, "a value at the last rung is whole", "[study][reveal]") {
  state.trials[id].first = 2;
  close_round(state, id);
  CHECK(sampler.heard == Heard{"result 0: 0.25, whole"});
}

TEST_CASE_METHOD(Fixture, "a trial that ended early is whole at any rung", "[study][reveal]") {
  for (const int index : {0, 1}) state.trials[member(id, index)].has_ended = true;
  close_round(state, id);
  CHECK(sampler.heard == Heard{"result 0: 0.25, whole"});
  CHECK(pruner.heard == Heard{"value 0 at rung 0: 0.25", "gone 0"});
}

TEST_CASE_METHOD(Fixture, "an heir is hidden from the sampler", "[study][reveal]") {
  state.trials[id].donor = TrialId(3);
  close_round(state, id);
  CHECK(sampler.heard.empty());
  CHECK(pruner.heard == Heard{"value 0 at rung 0: 0.25"});
}

TEST_CASE_METHOD(Fixture, "a sampler hears costs, whichever way the objective goes", "[study][reveal]") {
  state.rules.objective.maximize = true;
  tell_sampler(state, id, true, false);
  CHECK(sampler.heard == Heard{"result 0: -0.25"});
}

}  // namespace reveal_test
