// SPDX-License-Identifier: Apache-2.0
// Trials by state and their epochs, of a study that was replayed and as it goes on.
#include "driver/tally.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace tally_test {

using namespace dlrun;
using trial::TrialState;

namespace {

spec::StudySpec four_trials_of_two_members() {
  return support::spec_from(R"(study: counted
objective: {metric: value, direction: minimize}
space: {x: {type: int, low: 0, high: 3}}
search: {sampler: grid, lanes: 8}
trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 3, replicates: 2}
)");
}

}  // namespace

TEST_CASE("trials and epochs of a replayed study are counted", "[driver][tally]") {
  const spec::StudySpec spec = four_trials_of_two_members();
  study::Study study = support::study_of(spec, "grid");
  for (const study::Effect& effect : study.decide().effects) {
    const auto* start = std::get_if<study::StartPiece>(&effect);
    if (start == nullptr || start->key.member.trial.value == 3) continue;  // the last trial is still running
    std::ignore = study.absorb(study::PieceEnded{
        {.key = start->key, .attempt = start->attempt, .reports = {{start->to_step, {{"value", 0.5}}}}}});
  }
  driver::Tally tally;
  tally.count(study);
  CHECK(tally.started() == 4);
  CHECK(tally.in(TrialState::completed) == 3);
  CHECK(tally.in(TrialState::running) == 1);
  CHECK(tally.final() == 3);
  CHECK(tally.epochs() == 3 * 2 * 3);
  SECTION("and what happens later is added") {
    tally.advance({trial::TrialId(3), 1}, 2);
    tally.advance({trial::TrialId(3), 1}, 1);  // again, from the beginning
    tally.change(trial::TrialId(3), TrialState::failed);
    CHECK(tally.epochs() == 3 * 2 * 3 + 2);
    CHECK(tally.final() == 4);
    CHECK(tally.in(TrialState::running) == 0);
  }
}

}  // namespace tally_test
