// SPDX-License-Identifier: Apache-2.0
// Scores of trials, the best of them, and the limits that visible results meet.
#include "study/ranking.hpp"

#include "study/progress.hpp"
#include "support/catch.hpp"

namespace ranking_test {

using namespace dlrun;
using namespace dlrun::study;
using trial::TrialId;
using trial::TrialState;

namespace {

/// Accuracy is maximised, then seconds are minimised; seconds above 10 are infeasible.
Rules two_objectives() {
  Rules rules;
  rules.objective = {.metric = "accuracy", .maximize = true};
  rules.further = {{.metric = "seconds"}};
  rules.bounds = {{.metric = "seconds", .limit = 10}};
  rules.limits.target = 0.9;
  return rules;
}

struct Fixture {
  Rules rules = two_objectives();
  Trials trials{0, 2, {}};
  Ranking ranking{rules, trials};

  TrialId add(double accuracy, double seconds, TrialState state = TrialState::completed) {
    const TrialId id = trials.add({});
    trials[id].objective = accuracy;
    trials[id].state = state;
    trials.extras(id)[0] = trials.extras(id)[1] = seconds;
    if (state == TrialState::completed) ranking.note_completed(id);
    return id;
  }
};

pareto::Score score(double cost) { return {{cost}, 0}; }

}  // namespace

TEST_CASE_METHOD(Fixture, "scores are costs, and violations by the size of their limits", "[study][ranking]") {
  const TrialId id = add(0.5, 15);
  CHECK(ranking.score_of(id).values == std::vector<double>{-0.5, 15});
  CHECK(ranking.score_of(id).violation == 0.5);
  CHECK(ranking.further_costs(id) == std::vector<double>{15});
  CHECK(ranking.excess(add(0.5, 5)) == std::vector<double>{-0.5});
}

TEST_CASE_METHOD(Fixture, "a feasible value as good as the target meets it", "[study][ranking]") {
  CHECK(ranking.meets_target(add(0.9, 5)));
  CHECK_FALSE(ranking.meets_target(add(0.89, 5)));
  CHECK_FALSE(ranking.meets_target(add(0.95, 11)));
  rules.limits.target.reset();
  CHECK_FALSE(ranking.meets_target(TrialId(0)));
}

TEST_CASE_METHOD(Fixture, "completed trials come before others, infeasible ones never", "[study][ranking]") {
  CHECK_FALSE(ranking.best());
  add(0.99, 20);
  CHECK_FALSE(ranking.best());
  const TrialId paused = add(0.9, 5, TrialState::paused);
  CHECK(ranking.best() == paused);
  const TrialId first = add(0.5, 5);
  CHECK(ranking.best() == first);
  add(0.5, 6);
  CHECK(ranking.best() == first);
  const TrialId second = add(0.7, 9);
  CHECK(ranking.best() == second);
  CHECK(ranking.front() == std::vector<TrialId>{first, second});
}

TEST_CASE("a search has stalled after so many trials without a better one", "[study][progress]") {
  Rules rules;
  rules.limits.stall = 2;
  Progress progress(rules);
  progress.see(TrialId(0), 0, score(1));
  progress.see(TrialId(1), 0, score(1));  // as good is not better
  progress.see(TrialId(0), 1, score(2));  // a later rung is no further trial
  CHECK_FALSE(progress.is_over());
  SECTION("a better value at any rung begins the count anew") {
    progress.see(TrialId(1), 1, score(0.5));
    progress.see(TrialId(2), 0, std::nullopt);
    CHECK_FALSE(progress.is_over());
    progress.see(TrialId(3), 0, std::nullopt);
    CHECK(progress.reason() == "no better objective than trial 1's in 2 trials");
  }
  SECTION("an amended limit counts what was seen") {
    progress.see(TrialId(2), 0, score(3));
    CHECK(progress.is_over());
    rules.limits.stall = 3;
    progress.recount();
    CHECK_FALSE(progress.is_over());
  }
}

TEST_CASE("the first trial that meets the target ends the search", "[study][progress]") {
  Rules rules;
  rules.limits = {.target = 0.25, .stall = 1};
  Progress progress(rules);
  progress.see(TrialId(0), 0, std::nullopt);
  CHECK(progress.reason() == "no objective in 1 trials");
  progress.meet_target(TrialId(4));
  progress.meet_target(TrialId(5));
  CHECK(progress.reason() == "trial 4 met the target of 0.25");
  progress.recount();
  CHECK_FALSE(progress.has_met_target());
}

}  // namespace ranking_test
