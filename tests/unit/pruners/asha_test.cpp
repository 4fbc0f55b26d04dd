// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>

#include "pruners/asha_pruner.hpp"
#include "pruners/keys.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace asha_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

std::vector<std::int64_t> rungs(int eta, std::int64_t least, std::int64_t most) {
  return AshaPruner({.eta = eta, .min_budget = least, .max_budget = most}).rungs();
}

AshaPruner nine() { return AshaPruner({.eta = 3, .min_budget = 1, .max_budget = 9}); }

std::optional<std::pair<std::int64_t, int>> next(const Pruner& pruner) {
  const auto p = pruner.next();
  return p ? std::optional(std::pair(p->trial.value, p->rung)) : std::nullopt;
}

/// Algorithm 2 word by word, sorting every time.
struct PlainAsha {
  std::size_t eta;
  std::vector<std::map<TrialId, double>> values;
  std::vector<std::set<TrialId>> promoted;
  std::set<TrialId> gone;

  std::optional<std::pair<std::int64_t, int>> next() const {
    for (std::size_t k = values.size() - 1; k-- > 0;) {
      std::vector<std::pair<double, TrialId>> sorted;
      for (const auto& [t, v] : values[k]) sorted.emplace_back(v, t);
      std::sort(sorted.begin(), sorted.end());
      sorted.resize(sorted.size() / eta);
      for (const auto& [v, t] : sorted) {
        const bool may = v < std::numeric_limits<double>::infinity() && !promoted[k].contains(t) && !gone.contains(t);
        if (may) return std::pair(t.value, int(k));
      }
    }
    return std::nullopt;
  }
};

}  // namespace

TEST_CASE("rungs are a factor eta apart and end at the whole budget", "[pruners][asha]") {
  using List = std::vector<std::int64_t>;
  CHECK(rungs(3, 1, 9) == List{1, 3, 9});
  CHECK(rungs(3, 1, 10) == List{1, 3, 10});
  CHECK(rungs(3, 1, 243) == List{1, 3, 9, 27, 81, 243});  // a floor of floating logarithms misses one
  CHECK(rungs(10, 1, 1000) == List{1, 10, 100, 1000});
  CHECK(rungs(4, 2, 7) == List{7});
  CHECK(rungs(2, 5, 5) == List{5});
  CHECK(rungs(2, 1, std::numeric_limits<std::int64_t>::max()).size() == 63);
}

TEST_CASE("a trial outside the best third stays at its rung", "[pruners][asha]") {
  AshaPruner pruner = nine();
  pruner.on_value(TrialId(0), 0, 0.5);
  pruner.on_value(TrialId(1), 0, 0.3);
  CHECK(next(pruner) == std::nullopt);
  pruner.on_value(TrialId(2), 0, 0.4);
  REQUIRE(next(pruner) == std::pair(std::int64_t(1), 0));
  CHECK(pruner.next()->reason == "rung 0: among the best 1 of 3");
  pruner.claim(TrialId(1), 0);
  CHECK(next(pruner) == std::nullopt);

  SECTION("of equal values the lower trial number wins") {
    for (int t = 3; t < 6; ++t) pruner.on_value(TrialId(t), 0, 0.4);
    CHECK(next(pruner) == std::pair(std::int64_t(2), 0));
  }
  SECTION("the highest rung comes first") {
    for (int t = 3; t < 6; ++t) pruner.on_value(TrialId(t), 0, 0.1 * t);
    for (int t = 10; t < 13; ++t) pruner.on_value(TrialId(t), 1, 0.1 * t);
    CHECK(next(pruner) == std::pair(std::int64_t(10), 1));
  }
  SECTION("a trial that left is passed over, but still counts") {
    for (int t = 3; t < 6; ++t) pruner.on_value(TrialId(t), 0, 0.35 + t);
    pruner.on_gone(TrialId(2));
    CHECK(next(pruner) == std::nullopt);  // the best two of six are 1, promoted, and 2, gone
  }
}

TEST_CASE("what failed or is not finite counts, ranks last and is never promoted", "[pruners][asha]") {
  AshaPruner pruner = nine();
  pruner.on_value(TrialId(0), 0, std::nullopt);
  pruner.on_value(TrialId(1), 0, std::numeric_limits<double>::quiet_NaN());
  pruner.on_value(TrialId(2), 0, -std::numeric_limits<double>::infinity());
  CHECK(next(pruner) == std::nullopt);
  for (int t = 3; t < 6; ++t) pruner.on_value(TrialId(t), 0, double(t));
  CHECK(next(pruner) == std::pair(std::int64_t(3), 0));

  SECTION("until it was tried again") {
    pruner.on_value(TrialId(1), 0, 0.5);
    CHECK(next(pruner) == std::pair(std::int64_t(1), 0));
    CHECK(pruner.next()->reason == "rung 0: among the best 2 of 6");
  }
}

TEST_CASE("promotions are those of the plain algorithm", "[pruners][asha]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, {"test"});
    const int eta = 2 + int(random.below(3));
    AshaPruner pruner({.eta = eta, .min_budget = 1, .max_budget = eta * eta * eta});
    PlainAsha plain{std::size_t(eta), {}, {}, {}};
    plain.values.resize(4);
    plain.promoted.resize(4);
    for (int step = 0; step < 200; ++step) {
      const auto expected = plain.next();
      REQUIRE(next(pruner) == expected);
      if (expected && random.below(2) == 0) {
        pruner.claim(TrialId(expected->first), expected->second);
        plain.promoted[std::size_t(expected->second)].insert(TrialId(expected->first));
        continue;
      }
      const TrialId t(std::int64_t(random.below(60)));
      const auto k = random.below(4);
      if (random.below(20) == 0) {
        pruner.on_gone(t);
        plain.gone.insert(t);
      } else if (!plain.values[k].contains(t) || plain.values[k][t] == std::numeric_limits<double>::infinity()) {
        const bool fails = random.below(5) == 0;
        const double value = double(random.below(10));
        pruner.on_value(t, int(k), fails ? std::nullopt : std::optional(value));
        plain.values[k][t] = fails ? std::numeric_limits<double>::infinity() : value;
      }
    }
  }
}

TEST_CASE("claiming what is not eligible is refused", "[pruners][asha]") {
  AshaPruner pruner = nine();
  pruner.on_value(TrialId(0), 0, 0.5);
  CHECK_THROWS_AS(pruner.claim(TrialId(0), 0), Error);
  CHECK_THROWS_AS(pruner.claim(TrialId(0), 7), Error);
  CHECK_THROWS_AS(make_pruner({})->claim(TrialId(0), 0), Error);
}

TEST_CASE("pruners are read by name and refuse settings without sense", "[pruners]") {
  CHECK(make_pruner({})->rungs().empty());
  CHECK_THROWS_WITH(make_pruner({Asha{.ladder = {.eta = 1}}}), Contains("eta >= 2"));
  CHECK_THROWS_WITH(make_pruner({Asha{.ladder = {.min_budget = 0}}}),
                    Contains("asha needs min_budget >= 1, but min_budget is 0"));
  CHECK_THROWS_WITH(make_pruner({Asha{.ladder = {.min_budget = 3, .max_budget = 2}}}),
                    Contains("asha needs max_budget >= min_budget, but they are 2 and 3"));
  try {
    (void)read_pruner({{"op", "ahsa"}});
    FAIL("must throw");
  } catch (const Error& e) {
    CHECK(e.hint() == "did you mean 'asha'?");
  }
}

TEST_CASE("100,000 values and their promotions take a moment", "[pruners][asha]") {
  AshaPruner pruner({.eta = 3, .min_budget = 1, .max_budget = 27});
  RandomStream random(1, {"test"});
  const auto start = std::chrono::steady_clock::now();
  std::int64_t promotions = 0;
  for (int t = 0; t < 100'000; ++t) {
    pruner.on_value(TrialId(t), 0, random.uniform());
    while (const auto p = pruner.next()) {
      pruner.claim(p->trial, p->rung);
      pruner.on_value(p->trial, p->rung + 1, random.uniform());
      ++promotions;
    }
  }
  CHECK(promotions > 40'000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

}  // namespace asha_test
