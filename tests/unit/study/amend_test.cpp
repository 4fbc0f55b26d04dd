// SPDX-License-Identifier: Apache-2.0
// A study whose spec changes on the way.
#include <algorithm>
#include <set>

#include "unit/study/helpers.hpp"
#include "util/error.hpp"

namespace amend_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

using Log = std::vector<std::variant<Event, Decision>>;

Study replayed(const Rules& rules, const pruners::PrunerOptions& pruner, const Log& log) {
  Study study = make(rules, pruner);
  for (const auto& row : log) {
    if (const auto* event = std::get_if<Event>(&row)) (void)study.absorb(*event);
    if (const auto* decision = std::get_if<Decision>(&row)) study.apply(*decision);
  }
  return study;
}

Amended amended(const Amendment& to) {
  Amended event;
  event.to = std::make_shared<const Amendment>(to);
  return event;
}

Amendment same(const Rules& rules) { return {rules, line(), {}, {}, {}}; }

/// Half the line, and a choice beside it.
space::Space plane() {
  return space::Space({{.name = "x", .low = 0, .high = 0.5},
                       {.name = "opt", .type = space::Type::categorical, .choices = {"sgd", "adam"}}});
}

/// Goes on to the end, taking results from the front or from the back of what is under way.
std::vector<std::string> finished(Study study, bool takes_last) {
  Player player(study);
  player.record(study.resume_work());
  player.decide();
  while (!player.queue.empty()) {
    if (takes_last) std::rotate(player.queue.begin(), player.queue.end() - 1, player.queue.end());
    player.finish_one();
  }
  CHECK(study.is_finished());
  return player.decisions;
}

/// Amends the rules and goes on to the end.
void go_on(Player& player, const Rules& rules) {
  player.absorb(amended(same(rules)));
  player.run();
}

std::int64_t at_of(const std::string& decision) { return std::stoll(decision.substr(decision.find(" at ") + 4)); }

}  // namespace

TEST_CASE("more trials go on after the end of a search", "[study][amend]") {
  Rules r = rules(2, 4);
  Study study = make(r);
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  const std::size_t before = player.decisions.size();
  r.limits.trials = 7;
  r.lanes = 3;
  r.stride = 100;
  player.absorb(amended(same(r)));
  CHECK_FALSE(study.is_finished());
  player.run();
  CHECK(study.is_finished());
  CHECK(study.trial_count() == 7);
  CHECK(study.finish_reason() == "limit of 7 trials");
  // Two trials of one epoch (1000 ticks) on each lane, seen 500 ticks after their end: the barrier is at 2500, and
  // three lanes begin there, 100 ticks one after the other.
  CHECK_THAT(player.decisions[before], Contains("amend lane 0 at 2500"));
  CHECK(at_of(player.decisions[before + 1]) == 2500);
  CHECK(at_of(player.decisions[before + 2]) == 2600);
  CHECK(at_of(player.decisions[before + 3]) == 2700);
}

TEST_CASE("a space may grow before the first trial", "[study][amend]") {
  Rules r = rules(2, 4);
  Study study = make(r);
  Player player(study);
  Amendment to = same(r);
  to.space = plane();
  to.sampler = "random";
  player.absorb(amended(to));
  player.run();
  REQUIRE(study.trial_count() == 4);
  for (std::int64_t i = 0; i < 4; ++i) {
    const space::Values values = study.trial(TrialId(i)).values;
    REQUIRE(values.size() == 2);
    CHECK(std::holds_alternative<double>(values[0]));
    CHECK(std::holds_alternative<space::Choice>(values[1]));
  }
}

TEST_CASE("an amendment is a barrier: what is decided finishes, and nothing begins before", "[study][amend]") {
  Rules r = rules(4, 9);
  const pruners::PrunerOptions pruner = asha(9);
  Study study = make(r, pruner);
  Player player(study);
  player.decide();
  const int results = GENERATE(0, 1, 3, 6, 11);
  for (int i = 0; i < results; ++i) player.finish_one();
  Amendment to{rules(2, 14), plane(), {space::Choice{1}}, "tpe", {}};
  if (results % 2 == 1)
    to.pruner = pruners::PrunerOptions{pruners::Asha{.ladder = {.eta = 2, .min_budget = 1, .max_budget = 9}}};
  player.absorb(amended(to));
  const std::size_t before = player.decisions.size();
  const Log log = player.log;
  const auto front = finished(replayed(r, pruner, log), false);
  CHECK(finished(replayed(r, pruner, log), true) == front);
  const auto barrier =
      std::find_if(front.begin(), front.end(), [](const auto& d) { return d.find(" amend ") != std::string::npos; });
  REQUIRE(barrier != front.end());
  CHECK(std::none_of(front.begin(), barrier, [](const auto& d) { return d.find(" start ") != std::string::npos; }));
  CHECK(std::count_if(front.begin(), front.end(),
                      [](const auto& d) { return d.find(" amend ") != std::string::npos; }) == 1);
  player.run();
  CHECK(study.trial_count() == 14);
  CHECK(std::equal(front.begin(), front.end(), player.decisions.begin() + std::ptrdiff_t(before)));
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const auto values = study.trial(TrialId(i)).values;
    REQUIRE(values.size() == 2);
    INFO("trial " << i);
    if (std::get<double>(values[0]) > 0.5) CHECK(std::get<space::Choice>(values[1]).index == 1);  // the default
  }
  const Study again = replayed(r, pruner, player.log);
  CHECK(again.trial_count() == 14);
  CHECK(again.best() == study.best());
}

TEST_CASE("a new pruner ends what is paused, and its trials stay what they are", "[study][amend]") {
  Rules r = rules(2, 9);
  Study study = make(r, asha(9));
  Player player(study);
  player.decide();
  for (int i = 0; i < 4; ++i) player.finish_one();
  Amendment to = same(rules(2, 12));
  to.pruner = pruners::PrunerOptions{};
  to.rules.epochs = 9;
  player.absorb(amended(to));
  player.run();
  CHECK(study.is_finished());
  std::set<TrialState> states;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const TrialView view = study.trial(TrialId(i));
    states.insert(view.state);
    if (view.state == TrialState::pruned) CHECK(view.steps < 9);
    if (view.state == TrialState::completed) CHECK(view.steps == 9);
  }
  CHECK(states == std::set<TrialState>{TrialState::completed, TrialState::pruned});
  CHECK(study.trial(TrialId(11)).state == TrialState::completed);
}

TEST_CASE("trials from before a new pruner are not tried again", "[study][amend][retry]") {
  Study study = make(rules(1, 2), asha(9));
  Player player(study);
  player.decide();
  player.absorb(PieceEnded{failure_of(player.pop(), Cause::exception)});
  CHECK(study.can_be_retried(TrialId(0)));
  Amendment to = same(rules(1, 4));
  const bool is_new = GENERATE(false, true);
  if (is_new) to.pruner = pruners::PrunerOptions{pruners::Asha{.ladder = {.eta = 2, .min_budget = 1, .max_budget = 9}}};
  player.absorb(amended(to));
  player.run();
  REQUIRE(study.trial(TrialId(0)).state == TrialState::failed);
  CHECK(study.can_be_retried(TrialId(0)) != is_new);
  CHECK(study.can_be_retried(TrialId(1)) != is_new);
  CHECK(study.can_be_retried(TrialId(2)));
  player.absorb(RetryAsked{TrialId(0)});
  CHECK(study.trial(TrialId(0)).state == (is_new ? TrialState::failed : TrialState::waiting));
}

TEST_CASE("an amended target is met by no trial that was cancelled", "[study][amend]") {
  Study study = make(rules(1, 3), asha(9));
  Player player(study);
  player.decide();
  player.finish_one();
  player.absorb(CancelAsked{TrialId(0)});
  REQUIRE(study.trial(TrialId(0)).state == TrialState::cancelled);
  Rules r = rules(1, 3);
  r.limits.target = 100;
  go_on(player, r);
  CHECK(study.finish_reason() == "trial 1 met the target of 100");
}

TEST_CASE("what people asked for counts beyond the amended limit too", "[study][amend][enqueue]") {
  Rules r = rules(2, 3);
  Study study = make(r);
  Player player(study);
  player.absorb(EnqueueAsked{{0.25}});
  player.run();
  CHECK(study.trial_count() == 4);
  r.limits.trials = 5;
  go_on(player, r);
  CHECK(study.trial_count() == 6);
}

TEST_CASE("a target that is amended ends the search by what was measured before", "[study][amend]") {
  Rules r = rules(1, 4);
  Study study = make(r);
  Player player(study);
  player.run();
  r.limits = {.trials = 10, .target = 10};
  go_on(player, r);
  CHECK(study.trial_count() == 4);
  CHECK(study.finish_reason() == "trial 0 met the target of 10");
}

TEST_CASE("a search that met its target goes on for a better one", "[study][amend]") {
  Rules r = rules(1, 9);
  r.limits.target = 1000;
  Study study = make(r);
  Player player(study);
  player.run();
  REQUIRE(study.finish_reason() == "trial 0 met the target of 1000");
  r.limits.target = -1000;
  go_on(player, r);
  CHECK(study.trial_count() == 9);
  CHECK(study.finish_reason() == "limit of 9 trials");
}

TEST_CASE("a search that stalled goes on with more patience", "[study][amend]") {
  Rules r = rules(1, 40);
  r.limits.stall = 1;
  Study study = make(r);
  Player player(study);
  player.run();
  REQUIRE_THAT(study.finish_reason(), Contains("in 1 trials"));
  const std::int64_t before = study.trial_count();
  r.limits.stall = 30;
  go_on(player, r);
  CHECK(study.trial_count() > before);
}

TEST_CASE("an amendment without its meaning is refused", "[study][amend]") {
  Study study = make(rules(1, 4));
  CHECK_THROWS_AS(study.absorb(Amended{}), Error);
}

}  // namespace amend_test
