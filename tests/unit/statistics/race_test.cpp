// SPDX-License-Identifier: Apache-2.0
// A race: who drops out, when it ends, and how often it loses the best.
#include "statistics/race.hpp"

#include "support/catch.hpp"
#include "util/random.hpp"

namespace race_test {

using namespace dlrun;
using namespace dlrun::statistics;

namespace {

SeenCells seen(const std::vector<double>& values, std::size_t replicates) {
  SeenCells cells(replicates);
  for (std::size_t r = 0; r < values.size(); ++r) cells[r] = values[r];
  return cells;
}

const std::vector<double> kBest{0.90, 0.91, 0.92, 0.90, 0.93}, kWorse{0.85, 0.87, 0.86, 0.855, 0.88},
    kAlike{0.895, 0.915, 0.915, 0.905, 0.92};

std::vector<double> first(const std::vector<double>& values, std::ptrdiff_t count) {
  return {values.begin(), values.begin() + count};
}

/// Cells of the three as far as a race that looks after each round would have asked for them.
std::vector<SeenCells> cells() { return {seen(kBest, 5), seen(first(kWorse, 3), 5), seen(kAlike, 5)}; }

}  // namespace

TEST_CASE("what is worse than the leader drops out, by the paired t test", "[statistics][race]") {
  RaceRules rules{5, std::nullopt, true, {0.001, 0.02, 0.02, 0.02}};
  const Race over = race(rules, cells());
  CHECK(over.end == "all replicates are run");
  CHECK(over.leader == 0u);
  REQUIRE(over.out[1]);
  CHECK(over.out[1]->replicates == 3);
  CHECK(over.out[1]->behind == 0);
  CHECK(over.out[1]->p == Approx(0.0130725).margin(1e-7));  // scipy.stats.ttest_rel of the first three
  CHECK_FALSE(over.out[2]);                                 // 0.54 after five
  rules.levels[1] = 0.013;                                  // a stricter look leaves it in, and it owes the round after
  const Race open = race(rules, cells());
  CHECK(open.open == std::vector<std::size_t>{0, 1, 2});
  CHECK(open.rounds == 3);
  CHECK(open.end.empty());
}

TEST_CASE("a race where less is better is the same race", "[statistics][race]") {
  std::vector<SeenCells> costs = cells();
  for (SeenCells& one : costs) {
    for (auto& cell : one) {
      if (cell) *cell = -**cell;
    }
  }
  const Race over = race({5, std::nullopt, false, {0.001, 0.02, 0.02, 0.02}}, costs);
  CHECK(over.leader == 0u);
  CHECK(over.out[1]->replicates == 3);
}

TEST_CASE("a round is asked for as a whole, and not where it would pass the budget", "[statistics][race]") {
  RaceRules rules{5, std::nullopt, true, {0, 0, 0, 0}};
  const std::vector<SeenCells> some{seen({1, 2}, 5), seen({1}, 5), seen({1, 1}, 5)};
  CHECK(race(rules, some).rounds == 1);
  CHECK(race(rules, some).open == std::vector<std::size_t>{0, 1, 2});
  CHECK(race(rules, some).leader == 0u);  // of equal ones the first
  const std::vector<SeenCells> two{seen({1, 2}, 5), seen({1, 1}, 5), seen({1, 1}, 5)};
  rules.budget = 8;
  CHECK(race(rules, two).end == "a further round would pass the budget");
  CHECK(race(rules, two).leader == 0u);
  rules.budget = 9;
  CHECK(race(rules, two).end.empty());
}

TEST_CASE("a contender that fails is out, and the last one left wins", "[statistics][race]") {
  const RaceRules rules{4, std::nullopt, true, {0, 0, 0}};
  std::vector<SeenCells> all{seen({3, 3}, 4), seen({1, 1}, 4), seen({2, 2}, 4)};
  all[0][1] = std::optional<double>();
  const Race open = race(rules, all);
  CHECK(open.out[0]->has_failed);
  CHECK(open.out[0]->replicates == 2);
  CHECK(open.leader == 2u);
  all[2][2] = all[1][2] = std::optional<double>();
  const Race none = race(rules, all);
  CHECK(none.end == "every contender has failed");
  CHECK_FALSE(none.leader);
  all[2][2] = 2.0;
  CHECK(race(rules, all).end == "one contender is left");
  CHECK(race(rules, all).leader == 2u);
}

TEST_CASE("the best drops out of few races, and what is clearly worse of most", "[statistics][race]") {
  constexpr int kRaces = 2000, kContenders = 5, kReplicates = 6;
  const RaceRules rules = race_rules(kReplicates, std::nullopt, kContenders, 0.05, true);
  RandomStream random(1, {"race", "test"});
  int lost = 0, dropped = 0;
  for (int i = 0; i < kRaces; ++i) {
    std::vector<SeenCells> all(kContenders, SeenCells(kReplicates));
    for (int c = 0; c < kContenders; ++c) {
      for (auto& cell : all[std::size_t(c)]) cell = random.normal() + (c == kContenders - 1 ? -6 : 0);
    }
    const Race over = race(rules, all);
    lost += over.out[0].has_value();  // as good as the best of the others
    dropped += over.out[kContenders - 1].has_value();
  }
  CHECK(lost < 0.05 * kRaces);
  CHECK(lost > 0);
  CHECK(dropped > 0.9 * kRaces);
}

}  // namespace race_test
