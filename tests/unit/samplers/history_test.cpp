// SPDX-License-Identifier: Apache-2.0
#include "samplers/history.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "util/json.hpp"

namespace history_test {

using namespace dlrun;
using namespace dlrun::samplers;

namespace {

/// A history of so many trials, none with a result.
History history_of_trials(int count) {
  History history(space::Space({{.name = "x"}}));
  for (int i = 0; i < count; ++i) history.on_start(trial::TrialId(i), {i / 10.0});
  return history;
}

void tell(History& history, int trial, std::int64_t steps, double value, bool is_whole = false) {
  history.on_result({trial::TrialId(trial), {trial / 10.0}, value, steps, is_whole});
}

}  // namespace

TEST_CASE("values of small budgets are projected by what others gained from there on") {
  History history = history_of_trials(6);
  for (int i = 0; i < 5; ++i) tell(history, i, 1, 10.0 + i);
  tell(history, 0, 3, 7);   // 10 to 7: -3
  tell(history, 1, 3, 10);  // 11 to 10: -1
  tell(history, 2, 3, 10);  // 12 to 10: -2, the median
  tell(history, 0, 9, 6.5, true);
  const auto projected = history.projected();
  CHECK(projected[0] == 6.5);
  CHECK(projected[1] == 9.5);
  CHECK(projected[2] == 9.5);
  CHECK(projected[3] == 13 - 2 - 0.5);
  CHECK(projected[4] == 14 - 2 - 0.5);
  CHECK(std::isnan(projected[5]));
}

TEST_CASE("nothing is projected where trials begin at different budgets") {
  History history = history_of_trials(2);
  tell(history, 0, 1, 3);
  CHECK(history.projected().size() == 2);
  tell(history, 1, 3, 2);
  CHECK(history.projected().empty());
}

TEST_CASE("trials that failed later are not ranked at the budget where they led", "[samplers][bohb]") {
  History history = history_of_trials(12);
  for (int i = 0; i < 12; ++i) tell(history, i, 9, 1.0 + i);
  history.on_result({trial::TrialId(0), {0.0}, std::nullopt, 27, true});
  const auto ranked = history.ranked_at_largest_budget(10);
  REQUIRE(ranked.size() == 11);
  CHECK(ranked.front() == 1);
  CHECK(history.ranked_at_largest_budget(12).empty());
}

}  // namespace history_test
