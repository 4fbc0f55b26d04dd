// SPDX-License-Identifier: Apache-2.0
#include "pruners/halving_pruner.hpp"

#include <algorithm>
#include <limits>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace halving_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

Hyperband hyperband(std::int64_t most, int eta = 3) {
  return {.ladder = {.eta = eta, .min_budget = 1, .max_budget = most}};
}

SuccessiveHalving halving(std::int64_t most, std::int64_t bracket = 0) {
  return {.ladder = {.eta = 3, .min_budget = 1, .max_budget = most}, .bracket = bracket};
}

std::vector<BracketPlan> brackets(const Hyperband& own) { return hyperband_brackets(own.ladder, Hyperband::kName); }
std::vector<BracketPlan> brackets(const SuccessiveHalving& own) { return halving_bracket(own); }

template <class Kind>
std::vector<std::pair<int, std::int64_t>> plan(const Kind& kind) {
  std::vector<std::pair<int, std::int64_t>> out;
  for (const BracketPlan& bracket : brackets(kind)) out.emplace_back(bracket.first_rung, bracket.trials);
  return out;
}

std::optional<std::pair<std::int64_t, int>> next(const Pruner& pruner) {
  const auto p = pruner.next();
  return p ? std::optional(std::pair(p->trial.value, p->rung)) : std::nullopt;
}

/// Trials from … to (exclusive) begin, and each has its number as value at its first rung.
void fill(Pruner& pruner, int from, int to) {
  for (int t = from; t < to; ++t) {
    const int rung = pruner.first_rung();
    pruner.on_start(TrialId(t));
    pruner.on_value(TrialId(t), rung, double(t));
  }
}

void go_on(Pruner& pruner, int trial, int rung, double value) {
  pruner.claim(TrialId(trial), rung);
  pruner.on_value(TrialId(trial), rung + 1, value);
}

}  // namespace

TEST_CASE("Hyperband's brackets are those of the paper, by whole numbers", "[pruners][hyperband]") {
  using Plan = std::vector<std::pair<int, std::int64_t>>;
  CHECK(plan(hyperband(81)) == Plan{{0, 81}, {1, 34}, {2, 15}, {3, 8}, {4, 5}});
  CHECK(plan(hyperband(27)) == Plan{{0, 27}, {1, 12}, {2, 6}, {3, 4}});
  CHECK(plan(hyperband(256, 4)) == Plan{{0, 256}, {1, 80}, {2, 27}, {3, 10}, {4, 5}});
  CHECK(plan(hyperband(243)).size() == 6);  // a floor of floating logarithms gives 5
  CHECK(plan(hyperband(1000, 10)).size() == 4);
  CHECK(plan(hyperband(1)) == Plan{{0, 1}});
  CHECK(plan(hyperband(std::numeric_limits<std::int64_t>::max(), 2)).size() == 63);
  CHECK(plan(halving(27)) == Plan{{0, 27}});
  CHECK(plan(halving(27, 100)) == Plan{{0, 100}});
  CHECK_THROWS_WITH(plan(halving(27, 2)), Contains("bracket >= eta"));
}

TEST_CASE("bohb has Hyperband's brackets", "[pruners][hyperband]") {
  const Ladder ladder = hyperband(243).ladder;
  const auto bohb = make_pruner({Bohb{ladder}}), plain = make_pruner({Hyperband{ladder}});
  CHECK(bohb->rungs() == plain->rungs());
  CHECK(bohb->shares() == plain->shares());
}

TEST_CASE("shares are the epochs of a pass over the brackets", "[pruners][hyperband]") {
  const HalvingPruner pruner(hyperband(9).ladder, Hyperband::kName);  // 9, 5 and 3 trials at 1, 3 and 9 epochs
  const std::vector<double> shares = pruner.shares();
  REQUIRE(shares.size() == 3);
  CHECK(shares[0] * 17 == Approx(9));
  CHECK(shares[1] * 17 == Approx(3 + 5));
  CHECK(shares[2] * 17 == Approx(1 + 1 + 3));
}

TEST_CASE("first shares are the brackets", "[pruners][hyperband]") {
  const std::vector<double> first = HalvingPruner(hyperband(9).ladder, Hyperband::kName).first_shares();
  REQUIRE(first.size() == 3);
  CHECK(first[0] * 17 == Approx(9));
  CHECK(first[1] * 17 == Approx(5));
  CHECK(first[2] * 17 == Approx(3));
}

TEST_CASE("a rung closes when all of its bracket are there", "[pruners][halving]") {
  HalvingPruner pruner(halving(9));
  fill(pruner, 0, 8);
  CHECK(next(pruner) == std::nullopt);
  fill(pruner, 8, 9);
  REQUIRE(next(pruner) == std::pair(std::int64_t(0), 0));
  CHECK(pruner.next()->reason == "rung 0: among the best 3 of 9 in its bracket");
  CHECK_THROWS_AS(pruner.claim(TrialId(3), 0), Error);

  SECTION("and the one above when all that went on are") {
    go_on(pruner, 0, 0, 0.9);
    go_on(pruner, 1, 0, 0.1);
    CHECK(next(pruner) == std::pair(std::int64_t(2), 0));
    go_on(pruner, 2, 0, 0.5);
    REQUIRE(next(pruner) == std::pair(std::int64_t(1), 1));
    go_on(pruner, 1, 1, 0.1);
    CHECK(next(pruner) == std::nullopt);  // one is left, and at the last rung
  }
  SECTION("a trial that left keeps its rank, and nobody waits for it") {
    pruner.on_gone(TrialId(2));
    go_on(pruner, 0, 0, 0.9);
    go_on(pruner, 1, 0, 0.1);
    CHECK(next(pruner) == std::pair(std::int64_t(1), 1));
  }
  SECTION("lanes go on with the next bracket meanwhile") {
    fill(pruner, 9, 18);
    CHECK(next(pruner) == std::pair(std::int64_t(0), 0));
    for (int t = 0; t < 3; ++t) go_on(pruner, t, 0, double(t));
    CHECK(next(pruner) == std::pair(std::int64_t(0), 1));  // the highest rung first
    pruner.claim(TrialId(0), 1);
    CHECK(next(pruner) == std::pair(std::int64_t(9), 0));
  }
}

TEST_CASE("what failed ranks last and never goes on", "[pruners][halving]") {
  HalvingPruner pruner(halving(9));
  for (int t = 0; t < 9; ++t) {
    pruner.on_start(TrialId(t));
    pruner.on_value(TrialId(t), 0, t < 7 ? std::nullopt : std::optional(double(t)));
  }
  CHECK(next(pruner) == std::pair(std::int64_t(7), 0));
  pruner.on_value(TrialId(0), 0, 0.5);  // tried again after the rung has closed: too late
  pruner.claim(TrialId(7), 0);
  CHECK(next(pruner) == std::pair(std::int64_t(8), 0));
  pruner.claim(TrialId(8), 0);
  CHECK(next(pruner) == std::nullopt);
}

TEST_CASE("Hyperband's trials begin at the rungs of their brackets, over and over", "[pruners][hyperband]") {
  HalvingPruner pruner(hyperband(9).ladder, Hyperband::kName);
  std::vector<int> first;
  for (int t = 0; t < 34; ++t) {
    first.push_back(pruner.first_rung());
    pruner.on_start(TrialId(t));
  }
  const auto count = [&](int rung) { return std::count(first.begin(), first.end(), rung); };
  CHECK(count(0) == 18);
  CHECK(count(1) == 10);
  CHECK(count(2) == 6);
  CHECK(first[8] == 0);
  CHECK(first[9] == 1);
  CHECK(first[17] == 0);
  for (int t = 14; t < 17; ++t) pruner.on_value(TrialId(t), 2, 1.0);
  CHECK(next(pruner) == std::nullopt);  // the last bracket begins at the last rung
  for (int t = 9; t < 14; ++t) pruner.on_value(TrialId(t), 1, double(-t));
  CHECK(next(pruner) == std::pair(std::int64_t(13), 1));
}

TEST_CASE("a bracket that no new trial will fill closes as it is", "[pruners][halving]") {
  HalvingPruner pruner(halving(9));
  fill(pruner, 0, 7);
  CHECK(next(pruner) == std::nullopt);
  const auto at_end = pruner.next_at_end();
  REQUIRE(at_end);
  CHECK(at_end->trial == TrialId(0));
  CHECK(at_end->reason == "rung 0: among the best 2 of 7 in its bracket");
  CHECK(next(pruner) == std::nullopt);  // asking changed nothing
  pruner.claim(TrialId(0), 0);
  CHECK(next(pruner) == std::pair(std::int64_t(1), 0));
  pruner.claim(TrialId(1), 0);
  CHECK(pruner.next_at_end() == std::nullopt);
  fill(pruner, 7, 16);  // should one come all the same, it opens the next
  CHECK(next(pruner) == std::pair(std::int64_t(7), 0));
}

TEST_CASE("of a bounded bracket feasible trials go on first, then the smallest violations",
          "[pruners][halving][feasible]") {
  const auto pruner = make_pruner({halving(9, 6)});  // two of six go on
  for (int i = 0; i < 6; ++i) pruner->on_start(TrialId(i));
  const std::vector<double> violations{0.5, 0.25, 0.75, 1, 0, 2};
  for (int i = 0; i < 6; ++i) {
    pruner->on_score(TrialId(i), 0, pareto::Score{{double(i)}, violations[std::size_t(i)]});
  }
  CHECK(next(*pruner) == std::pair<std::int64_t, int>(4, 0));
  pruner->claim(TrialId(4), 0);
  CHECK(next(*pruner) == std::pair<std::int64_t, int>(1, 0));
  pruner->claim(TrialId(1), 0);
  CHECK_FALSE(next(*pruner));
}

}  // namespace halving_test
