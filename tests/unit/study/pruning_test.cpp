// SPDX-License-Identifier: Apache-2.0
// Pruners that stop trials, inside a study.
#include "pruners/stopping_pruner.hpp"
#include "unit/study/helpers.hpp"
#include "util/error.hpp"

namespace pruning_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

/// The loss of an epoch is the trial's x + 1 / epoch: what is above 1.1 at a rung stops.
pruners::PrunerOptions bound() { return {pruners::Threshold{.ladder = {.max_budget = 4}, .upper = 1.1}}; }

std::vector<Decision> prunes(const Player& player) {
  std::vector<Decision> found;
  for (const auto& row : player.log) {
    const auto* d = std::get_if<Decision>(&row);
    if (d && d->kind == DecisionKind::prune) found.push_back(*d);
  }
  return found;
}

/// Cannot judge, as a plugin that has crashed. The log of such a study can still be replayed.
class Faulty final : public pruners::StoppingPruner {
 public:
  Faulty() : StoppingPruner({1, 4}, false) {}
  bool wants_new() const override {
    if (is_lost_) throw Error(ErrorKind::outside, "the plugin crashed");
    return true;
  }

 private:
  Verdict judge(trial::TrialId, int, double) override {
    is_lost_ = true;
    return {true, "no verdict"};
  }
  void note_whole(trial::TrialId, double) override {}

  bool is_lost_ = false;
};

}  // namespace

TEST_CASE("a rule that fails ends the run before anything else is decided", "[study][pruner]") {
  Rules r = rules(2, 8);
  r.limits.target = 100;  // every trial meets it, so the search is over and asks the rule for nothing more
  Study study(r, line(), samplers::make_sampler("random", line(), r.seed), std::make_unique<Faulty>());
  Player player(study);
  CHECK_THROWS_WITH(player.run(), Contains("the plugin crashed"));
  CHECK_FALSE(study.is_finished());
}

TEST_CASE("a trial cancelled before its result is visible stays cancelled, and its log can be replayed",
          "[study][pruner][cancel]") {
  for (std::int64_t cancelled = 0; cancelled < 8; ++cancelled) {
    Study study = make(rules(2, 8), bound());
    Player player(study);
    player.decide();
    while (!player.queue.empty()) {
      const StartPiece start = player.pop();
      player.absorb(PieceEnded{result_of(study, start)});
      if (start.key == PieceKey{{TrialId(cancelled)}, 0}) player.absorb(CancelAsked{TrialId(cancelled)});
      player.decide();
    }
    REQUIRE(study.is_finished());
    CHECK(study.trial(TrialId(cancelled)).state == TrialState::cancelled);
    Study replayed = make(rules(2, 8), bound());
    for (const auto& row : player.log) {
      if (const auto* e = std::get_if<Event>(&row)) replayed.absorb(*e);
      if (const auto* d = std::get_if<Decision>(&row)) replayed.apply(*d);
    }
    CHECK(replayed.is_finished());
  }
}

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
  Study study = make(r, {pruners::Threshold{.ladder = {.max_budget = 4}, .upper = 0.0}});
  Player player(study);
  player.run();
  REQUIRE(prunes(player).size() == 1);
  CHECK(prunes(player)[0].at == 1700);  // an epoch of 1000 ticks, then the slack
}

TEST_CASE("pruners see every epoch of a piece, whatever the rungs", "[study][pruner]") {
  // Losses fall at every epoch, so patience never runs out; told at rungs alone it could not know.
  Study study = make(rules(1, 2), {pruners::Patience{.ladder = {3, 9, 3}, .patience = 0}});
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

TEST_CASE("Hyperband's trials begin at the rungs of their brackets and rise from there", "[study][pruner]") {
  Study study = make(rules(4, 17), {pruners::Hyperband{{.eta = 3, .min_budget = 1, .max_budget = 9}}});
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  std::map<std::int64_t, int> begun, reached;
  for (const auto& row : player.log) {
    const auto* d = std::get_if<Decision>(&row);
    if (d && d->kind == DecisionKind::start) ++begun[d->to_step];
    if (d && d->kind == DecisionKind::go_on) CHECK(d->to_step == 3 * d->from_step);
  }
  for (int i = 0; i < 17; ++i) {
    const TrialView trial = study.trial(TrialId(i));
    ++reached[trial.steps];
    CHECK(trial.state == (trial.steps == 9 ? TrialState::completed : TrialState::pruned));
  }
  CHECK(begun == std::map<std::int64_t, int>{{1, 9}, {3, 5}, {9, 3}});
  CHECK(reached == std::map<std::int64_t, int>{{1, 6}, {3, 2 + 4}, {9, 1 + 1 + 3}});
}

TEST_CASE("a bracket that the limit of trials cuts closes with those it has", "[study][pruner]") {
  Study study = make(rules(2, 6), {pruners::SuccessiveHalving{{.eta = 3, .min_budget = 1, .max_budget = 9}}});
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  std::map<std::int64_t, int> reached;
  for (int i = 0; i < 6; ++i) ++reached[study.trial(TrialId(i)).steps];
  CHECK(reached == std::map<std::int64_t, int>{{1, 4}, {3, 2}});  // six leave two, and two leave none
}

TEST_CASE("PASHA's trials at the highest rung it opened are complete", "[study][pruner]") {
  // Curves that never cross: rankings always agree, so nothing trains beyond the second of rungs 1, 2, 4, 8.
  Study study = make(rules(3, 12), {pruners::Pasha{{.eta = 2, .min_budget = 1, .max_budget = 8}}});
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  int complete = 0;
  for (int i = 0; i < 12; ++i) {
    const TrialView trial = study.trial(TrialId(i));
    CHECK(trial.steps <= 2);
    CHECK(trial.state == (trial.steps == 2 ? TrialState::completed : TrialState::pruned));
    complete += trial.steps == 2;
  }
  CHECK(complete >= 6);
  CHECK(study.trial(*study.best()).steps == 2);
}

}  // namespace pruning_test
