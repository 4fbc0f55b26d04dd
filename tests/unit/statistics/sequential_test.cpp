// SPDX-License-Identifier: Apache-2.0
// Looks at replicates while they come in: where they are, what settles a variant, and in which direction.
#include "statistics/sequential.hpp"

#include "support/catch.hpp"

namespace sequential_test {

using namespace dlrun::statistics;

namespace {

const Cells kBase(12, 0.8);

/// The baseline, lower by each of these.
Cells lower_by(const std::vector<double>& differences) {
  Cells out;
  for (const double d : differences) out.emplace_back(0.8 - d);
  return out;
}

SequentialRules rules_of(bool maximize = true, double rope = 0, int family = 1) {
  AnalysisOptions analysis{.maximize = maximize, .rope = rope, .constant_is_collapsed = false};
  analysis.looks = {{4, 6, 12}, Boundary::pocock};
  return sequential_rules(analysis, family);
}

const std::vector<double> kSmall = {.050, .051, .049, .050}, kWide = {.04, .05, .06, .07};

}  // namespace

TEST_CASE("looks come at 4, at every second replicate to 12, at every fourth, and at all", "[statistics][sequential]") {
  CHECK(default_looks(2) == std::vector<int>{2});
  CHECK(default_looks(4) == std::vector<int>{4});
  CHECK(default_looks(12) == std::vector<int>{4, 6, 8, 10, 12});
  CHECK(default_looks(22) == std::vector<int>{4, 6, 8, 10, 12, 16, 20, 22});
}

TEST_CASE("a look has SciPy's p values of the replicates so far", "[statistics][sequential]") {
  const Looked found = looked_at(kBase, lower_by({.04, .05, .06, .07, .02}), rules_of(true, 0.1));
  CHECK(found.look == 4);
  CHECK(found.p == Approx(0.00339577706).epsilon(1e-5));              // ttest_1samp of the first four
  CHECK(found.p_equivalence == Approx(0.00302842440).epsilon(1e-5));  // the greater of the two one-sided ones
  CHECK(looked_at(kBase, lower_by({.04, .05, .06}), rules_of()).look == 0);
}

TEST_CASE("the sign of a settled effect is that of the component", "[statistics][sequential]") {
  std::vector<double> raised;
  for (const double d : kSmall) raised.push_back(-d);
  CHECK(looked_at(kBase, lower_by(kSmall), rules_of(true)).standing == Standing::helps);
  CHECK(looked_at(kBase, lower_by(raised), rules_of(true)).standing == Standing::hurts);
  CHECK(looked_at(kBase, lower_by(kSmall), rules_of(false)).standing == Standing::hurts);
  CHECK(standings(kBase, {lower_by(raised), lower_by({.1, -.1, .2, -.2})}, rules_of(false)) ==
        std::vector<Standing>{Standing::helps, Standing::go_on});
}

// A look at six counts the pairs among the first six replicates; it counted in the report only once there were six
// pairs.
TEST_CASE("a lost replicate leaves the verdict at the end as the look had it", "[statistics][sequential]") {
  AnalysisOptions analysis{.constant_is_collapsed = false};
  analysis.looks = {{4, 6, 8, 10, 12}, Boundary::obrien_fleming};
  Cells variant = lower_by({.04, .05, .06, .07, .0, .055});
  variant[4].reset();
  const Looked found = looked_at(kBase, variant, sequential_rules(analysis, 1));
  CHECK(found.look == 6);
  CHECK(found.p == Approx(0.000388171).epsilon(1e-5));  // Student's t of the five is 11.0, with 4 degrees of freedom
  CHECK(found.standing == Standing::helps);
  const Contribution end = contributions(kBase, {variant}, analysis).front();
  CHECK(end.lost == 1);
  CHECK(end.p < 0.05);
  CHECK(end.verdict == Verdict::helps);
}

TEST_CASE("what is settled stays so, and is negligible only within the rope", "[statistics][sequential]") {
  std::vector<double> turned = kSmall;
  turned.insert(turned.end(), {-.5, -.5});
  const Looked found = looked_at(kBase, lower_by(turned), rules_of());
  CHECK(found.look == 4);
  CHECK(found.standing == Standing::helps);
  const std::vector<double> tiny = {.001, -.001, .002, -.0015};
  CHECK(looked_at(kBase, lower_by(tiny), rules_of(true, .01)).standing == Standing::negligible);
  CHECK(looked_at(kBase, lower_by(tiny), rules_of(true, .001)).standing == Standing::go_on);
}

TEST_CASE("what failed too often goes on", "[statistics][sequential]") {
  Cells failed = lower_by(kSmall);
  failed[1] = std::nullopt;  // one of four
  CHECK(looked_at(kBase, failed, rules_of()).standing == Standing::go_on);
  CHECK(looked_at(kBase, failed, rules_of()).look == 4);
}

TEST_CASE("a family shares alpha for effects alone", "[statistics][sequential]") {
  const SequentialRules alone = rules_of(), five = rules_of(true, 0, 5);
  CHECK(alone.effect_levels == alone.negligible_levels);
  CHECK(five.negligible_levels == alone.negligible_levels);
  for (const double level : five.effect_levels) CHECK(level < 0.01);  // one look at all would have .05 / 5
  for (const double level : alone.effect_levels) {
    CHECK(level > 0.01);
    CHECK(level < 0.05);
  }
  CHECK(looked_at(kBase, lower_by(kWide), alone).standing == Standing::helps);  // p = .003
  CHECK(looked_at(kBase, lower_by(kWide), rules_of(true, 0, 20)).standing == Standing::go_on);
}

TEST_CASE("of a single look, effects have alpha over the family and negligible ones alpha",
          "[statistics][sequential]") {
  AnalysisOptions analysis;
  analysis.looks = {{8}, Boundary::pocock};
  const SequentialRules rules = sequential_rules(analysis, 4);
  CHECK(rules.effect_levels[0] == Approx(0.05 / 4).epsilon(1e-6));
  CHECK(rules.negligible_levels[0] == Approx(0.05).epsilon(1e-6));
}

}  // namespace sequential_test
