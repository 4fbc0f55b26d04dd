// SPDX-License-Identifier: Apache-2.0
// Trials by state and their epochs, of a study that was replayed and as it goes on.
#include "driver/tally.hpp"

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace tally_test {

using namespace dlrun;
using trial::TrialState;

namespace {

spec::StudySpec four_trials_of_two_members() {
  const support::TempFolder folder;
  write_file(folder / "study.yaml", R"(study: counted
objective: {metric: value, direction: minimize}
space: {x: {type: int, low: 0, high: 3}}
search: {sampler: grid, lanes: 8}
trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 3, replicates: 2}
)");
  return spec::read({.file = folder / "study.yaml"});
}

}  // namespace

TEST_CASE("trials and epochs of a replayed study are counted", "[driver][tally]") {
  const spec::StudySpec spec = four_trials_of_two_members();
  study::Study study(spec.rules, spec.space, samplers::make_sampler("grid", spec.space, spec.seed),
                     pruners::make_pruner(spec.pruner));
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
