// SPDX-License-Identifier: Apache-2.0
// Population based training: who gives way to whose heir.
#include "pruners/pbt_pruner.hpp"

#include <set>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace pbt_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

PbtPruner pruner_of(const Population& population, std::int64_t min_budget = 1) {
  return {population, {.min_budget = min_budget, .max_budget = 3}, 7, Pbt::kName};
}

PbtPruner started(const Population& o, std::int64_t min_budget = 1) {
  PbtPruner pruner = pruner_of(o, min_budget);
  for (int i = 0; i < o.population; ++i) {
    CHECK(pruner.wants_new());
    pruner.on_start(TrialId(i));
  }
  CHECK_FALSE(pruner.wants_new());
  return pruner;
}

std::set<std::int64_t> stop_all(PbtPruner& pruner) {
  std::set<std::int64_t> stopped;
  while (const auto stop = pruner.next_stop()) {
    stopped.insert(stop->trial.value);
    pruner.on_gone(stop->trial);
  }
  return stopped;
}

}  // namespace

TEST_CASE("the worst quarter gives way to heirs of the best", "[pruners][pbt]") {
  PbtPruner pruner = started({8});
  for (int i = 0; i < 7; ++i) pruner.on_value(TrialId(i), 0, double(i));
  CHECK_FALSE(pruner.next());  // one is still on its way
  CHECK_FALSE(pruner.next_heir());
  pruner.on_value(TrialId(7), 0, 7.0);
  CHECK(stop_all(pruner) == std::set<std::int64_t>{6, 7});
  for (int place = 0; place < 2; ++place) {
    const auto heir = pruner.next_heir();
    REQUIRE(heir);
    CHECK(heir->donor.value <= 1);
    CHECK(heir->rung == 0);
    pruner.on_start(TrialId(8 + place));
  }
  CHECK_FALSE(pruner.next_heir());
  for (int i = 0; i < 6; ++i) {
    const auto next = pruner.next();
    REQUIRE(next);
    CHECK(next->trial.value == i);
    CHECK(next->rung == 0);
    pruner.claim(next->trial, 0);
  }
  CHECK_FALSE(pruner.next());
  SECTION("heirs are of the population at the next rung") {
    for (int i = 0; i < 6; ++i) pruner.on_value(TrialId(i), 1, double(i));
    pruner.on_value(TrialId(8), 1, -1.0);
    CHECK_FALSE(pruner.next());
    pruner.on_value(TrialId(9), 1, -2.0);
    CHECK(stop_all(pruner) == std::set<std::int64_t>{4, 5});
    CHECK(pruner.next_heir()->donor.value >= 8);
  }
}

TEST_CASE("failed trials rank last and all give way", "[pruners][pbt]") {
  PbtPruner pruner = started({4});
  for (int i = 0; i < 3; ++i) pruner.on_value(TrialId(i), 0, std::nullopt);
  pruner.on_value(TrialId(3), 0, 5.0);
  CHECK(stop_all(pruner).empty());  // they have ended already
  for (int i = 0; i < 3; ++i) {
    REQUIRE(pruner.next_heir());
    CHECK(pruner.next_heir()->donor.value == 3);
    pruner.on_start(TrialId(4 + i));
  }
  CHECK(pruner.next()->trial.value == 3);
}

TEST_CASE("where all failed there is no donor", "[pruners][pbt]") {
  PbtPruner pruner = started({2, 0.5});
  pruner.on_value(TrialId(0), 0, std::nullopt);
  pruner.on_value(TrialId(1), 0, std::nullopt);
  CHECK_FALSE(pruner.next_heir());
  CHECK_FALSE(pruner.next());
}

TEST_CASE("at the last rung nobody gives way", "[pruners][pbt]") {
  PbtPruner pruner = started({2, 0.5}, 3);
  pruner.on_value(TrialId(0), 0, 1.0);
  pruner.on_value(TrialId(1), 0, 2.0);
  CHECK_FALSE(pruner.next_stop());
  CHECK_FALSE(pruner.next_heir());
}

TEST_CASE("a cancelled trial leaves the population", "[pruners][pbt]") {
  PbtPruner pruner = started({4});
  for (int i = 0; i < 3; ++i) pruner.on_value(TrialId(i), 0, double(i));
  pruner.on_gone(TrialId(3));
  CHECK(stop_all(pruner) == std::set<std::int64_t>{2});
}

TEST_CASE("a senseless population is refused", "[pruners][pbt]") {
  CHECK_THROWS_AS(pruner_of({1}), Error);
  CHECK_THROWS_AS(pruner_of({4, 0}), Error);
  CHECK_THROWS_AS(pruner_of({4, 0.6}), Error);
}

TEST_CASE("of a bounded population what is infeasible gives way first, and is no donor before what is feasible",
          "[pruners][pbt][feasible]") {
  PbtPruner pruner = started({8});
  for (int i = 0; i < 8; ++i) {
    const double violation = i < 2 ? 1.0 + i : 0.0;  // 0 and 1 have the best values and keep no bound
    pruner.on_score(TrialId(i), 0, pareto::Score{{double(i)}, violation});
  }
  CHECK(stop_all(pruner) == std::set<std::int64_t>{0, 1});
  while (const auto heir = pruner.next_heir()) {
    CHECK((heir->donor == TrialId(2) || heir->donor == TrialId(3)));
    pruner.on_start(TrialId(8 + heir->donor.value));
  }
}

}  // namespace pbt_test
