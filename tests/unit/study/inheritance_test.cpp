// SPDX-License-Identifier: Apache-2.0
// Trials that begin with the weights of another.
#include <algorithm>

#include "helpers.hpp"

namespace inheritance_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

pruners::PrunerOptions population(std::int64_t size, std::int64_t epochs) {
  return {pruners::Pbt{.ladder = {.max_budget = epochs}, .population = {.population = size, .quantile = 0.5}}};
}

/// The artifact names trial and epoch.
PieceResult named_result(const Study& study, const StartPiece& start) {
  PieceResult r = result_of(study, start);
  r.artifacts[0].sha256 = std::to_string(start.key.member.trial.value) + "@" + std::to_string(start.to_step);
  return r;
}

void play(Player& player) {
  player.decide();
  while (!player.queue.empty()) {
    const StartPiece start = player.pop();
    if (player.study.is_current(start.key, start.attempt)) player.absorb(PieceEnded{named_result(player.study, start)});
    player.decide();
  }
}

}  // namespace

TEST_CASE("an heir begins with its donor's weights of that rung, not later ones", "[study][inheritance]") {
  Study study = make(rules(4, 4), population(4, 3));
  Player player(study);
  play(player);
  REQUIRE(study.is_finished());
  CHECK(study.trial_count() == 8);  // two heirs at each of two rungs
  int heirs = 0;
  for (const auto& start : all<StartPiece>({{}, {}, player.effects})) {
    const auto donor = study.trial(start.key.member.trial).donor;
    if (!donor || start.key.piece > 0) continue;
    ++heirs;
    CHECK(start.from_step >= 1);
    CHECK(start.to_step == start.from_step + 1);
    CHECK(start.resume == std::to_string(donor->member.trial.value) + "@" + std::to_string(start.from_step));
  }
  CHECK(heirs == 4);
  int completed = 0;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const TrialView view = study.trial(TrialId(i));
    completed += view.state == TrialState::completed;
    if (view.state == TrialState::completed) CHECK(view.steps == 3);
  }
  CHECK(completed == 4);
}

TEST_CASE("decisions that inherit are replayed", "[study][inheritance]") {
  Study study = make(rules(3, 4), population(4, 4));
  Player player(study);
  play(player);
  Study again = make(rules(3, 4), population(4, 4));
  for (const auto& row : player.log) {
    if (const auto* event = std::get_if<Event>(&row)) again.absorb(*event);
    if (const auto* decision = std::get_if<Decision>(&row)) again.apply(*decision);
  }
  CHECK(again.is_finished());
  CHECK(again.trial_count() == study.trial_count());
  CHECK(again.best() == study.best());
  SECTION("an heir of nobody is refused") {
    Study fresh = make(rules(3, 4), population(4, 4));
    Decision bad = std::get<Decision>(player.log[0]);
    bad.donor = PieceKey{{TrialId(2)}, 0};
    CHECK_THROWS(fresh.apply(bad));
  }
}

TEST_CASE("an heir that is lost begins with the same weights again", "[study][inheritance]") {
  Rules r = rules(4, 4);
  r.retries = {{Cause::worker_lost, 1}};
  Study study = make(r, population(4, 2));
  Player player(study);
  player.decide();
  std::vector<std::string> resumed;
  while (!player.queue.empty()) {
    const StartPiece start = player.pop();
    if (study.trial(start.key.member.trial).donor) {
      resumed.push_back(start.resume);
      if (start.attempt == 1) {
        player.absorb(AttemptLost{start.key, 1, Cause::worker_lost, "", ""});
        continue;
      }
    }
    player.absorb(PieceEnded{named_result(study, start)});
    player.decide();
  }
  REQUIRE(resumed.size() == 4);
  CHECK(study.is_finished());
  std::sort(resumed.begin(), resumed.end());
  CHECK(resumed[0] == resumed[1]);
  CHECK(resumed[2] == resumed[3]);
}

}  // namespace inheritance_test
