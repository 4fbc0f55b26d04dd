// SPDX-License-Identifier: Apache-2.0
// ASHA by several objectives.
#include "pruners/pruner.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace front_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

std::unique_ptr<Pruner> front_asha(bool stops) {
  return make_pruner(
      {Asha{.ladder = {.eta = 3, .min_budget = 1, .max_budget = 9}, .stops = stops}, {.by_score = true}});
}

void tell(Pruner& pruner, int trial, pareto::Point values, double violation = 0) {
  pruner.on_score(TrialId(trial), 0, pareto::Score{std::move(values), violation});
}

}  // namespace

TEST_CASE("the first of the front go on, far from one another", "[pruners][front]") {
  const auto pruner = front_asha(false);
  tell(*pruner, 0, {1, 9});
  tell(*pruner, 1, {1.1, 8.9});
  CHECK_FALSE(pruner->next().has_value());  // two, fewer than eta
  tell(*pruner, 2, {9, 1});
  CHECK(pruner->next()->trial == TrialId(0));
  pruner->claim(TrialId(0), 0);
  CHECK_FALSE(pruner->next().has_value());
  for (int i = 3; i < 6; ++i) tell(*pruner, i, {10, 10});
  CHECK(pruner->next()->trial == TrialId(2));  // not the neighbour of the first
  CHECK(pruner->next()->reason == "rung 0: among the first 2 of 6 by fronts");
  CHECK_THROWS_AS(pruner->claim(TrialId(1), 0), Error);
  CHECK_THROWS_AS(pruner->claim(TrialId(2), -1), Error);
  CHECK_THROWS_AS(pruner->claim(TrialId(2), 100), Error);
}

TEST_CASE("what is infeasible goes on only for want of others", "[pruners][front]") {
  const auto pruner = front_asha(false);
  tell(*pruner, 0, {0, 0}, 2);
  tell(*pruner, 1, {0, 0}, 1);
  tell(*pruner, 2, {5, 5});
  CHECK(pruner->next()->trial == TrialId(2));
  pruner->claim(TrialId(2), 0);
  pruner->on_score(TrialId(3), 0, std::nullopt);
  pruner->on_score(TrialId(4), 0, std::nullopt);
  tell(*pruner, 5, {9, 9}, 5);
  CHECK(pruner->next()->trial == TrialId(1));
  pruner->on_gone(TrialId(1));
  CHECK_FALSE(pruner->next().has_value());
}

TEST_CASE("the stopping type judges a trial once, by its place in the fronts", "[pruners][front]") {
  const auto pruner = front_asha(true);
  tell(*pruner, 0, {5, 5});
  tell(*pruner, 1, {6, 6});
  CHECK_FALSE(pruner->next_stop().has_value());  // nobody to be held against
  tell(*pruner, 2, {1, 9});
  CHECK_FALSE(pruner->next_stop().has_value());  // the first of the front by its first value
  tell(*pruner, 3, {7, 7});
  REQUIRE(pruner->next_stop().has_value());
  CHECK(pruner->next_stop()->trial == TrialId(3));
  CHECK(pruner->next_stop()->reason == "rung 0: number 4 of 4 by fronts, of which the first 1 go on");
}

TEST_CASE("pruners of one objective are told the first", "[pruners][front]") {
  const auto pruner = make_pruner({Threshold{.ladder = {.max_budget = 4}, .upper = 1.0}});
  pruner->on_score(TrialId(0), 0, pareto::Score{{2, 0}, 0});
  CHECK(pruner->next_stop().has_value());
  CHECK(pruner_names_for_several() == std::vector<std::string>{"none", "asha"});
}

}  // namespace front_test
