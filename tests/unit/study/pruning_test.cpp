// SPDX-License-Identifier: Apache-2.0
// Pruners that stop trials, inside a study.
#include "unit/study/helpers.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::test;

namespace {

/// The loss of an epoch is the trial's x + 1 / epoch: what is above 1.1 at a rung stops.
pruners::PrunerOptions bound() { return {.op = "threshold", .max_budget = 4, .upper = 1.1}; }

std::vector<Decision> prunes(const Player& player) {
  std::vector<Decision> found;
  for (const auto& row : player.log) {
    const auto* d = std::get_if<Decision>(&row);
    if (d && d->kind == DecisionKind::prune) found.push_back(*d);
  }
  return found;
}

}  // namespace

TEST_CASE("a stopped trial is pruned while others go on, takes no lane and costs no more epochs", "[study][pruner]") {
  Study study = make(rules(2, 8), bound());
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  const std::vector<Decision> stopped = prunes(player);
  REQUIRE_FALSE(stopped.empty());
  for (const Decision& d : stopped) {
    const TrialView trial = study.trial(d.key.member.trial);
    CHECK(trial.state == TrialState::pruned);
    CHECK(trial.steps == d.to_step);
    CHECK(d.end == 0);
    CHECK_THAT(d.reason, Contains("is above 1.1; loss "));
    CHECK(player.rows[trial.id].message == d.reason);
  }
  for (int i = 0; i < 8; ++i) {
    const TrialView trial = study.trial(TrialId(i));
    const double x = std::get<double>(trial.values[0]);
    const bool leaves = x + 1.0 > 1.1;  // the first epoch is the worst
    CHECK(trial.state == (leaves ? TrialState::pruned : TrialState::completed));
    CHECK(trial.steps == (leaves ? 1 : 4));
  }
}

TEST_CASE("a stop is decided once its value is visible, not when it arrives", "[study][pruner][clock]") {
  Rules r = rules(1, 1);
  r.slack = 700;
  Study study = make(r, {.op = "threshold", .max_budget = 4, .upper = 0.0});
  Player player(study);
  player.run();
  REQUIRE(prunes(player).size() == 1);
  CHECK(prunes(player)[0].at == 1700);  // an epoch of 1000 ticks, then the slack
}

TEST_CASE("pruners see every epoch of a piece, whatever the rungs", "[study][pruner]") {
  // Losses fall at every epoch, so patience never runs out; told at rungs alone it could not know.
  Study study = make(rules(1, 2), {.op = "patience", .min_budget = 3, .max_budget = 9, .interval = 3, .patience = 0});
  Player player(study);
  player.run();
  CHECK(prunes(player).empty());
  CHECK(study.trial(TrialId(0)).state == TrialState::completed);
}

TEST_CASE("a stop that does not fit the trials before it is a damaged log", "[study][pruner][replay]") {
  Study study = make(rules(1, 2), bound());
  Player player(study);
  player.run();
  Study other = make(rules(1, 2), bound());
  for (const auto& row : player.log) {
    const auto* d = std::get_if<Decision>(&row);
    if (d && d->kind == DecisionKind::prune) {
      Decision wrong = *d;
      wrong.key.member.trial = TrialId(7);
      CHECK_THROWS_AS(other.apply(wrong), Error);
      return;
    }
    if (d) other.apply(*d);
    if (const auto* e = std::get_if<Event>(&row)) other.absorb(*e);
  }
  FAIL("nothing was stopped");
}
