// SPDX-License-Identifier: Apache-2.0
// Rounds that decide which component is next, from cells alone.
#include "statistics/stepwise.hpp"

#include "support/catch.hpp"

namespace stepwise_test {

using namespace dlrun::statistics;

namespace {

/// All sets of three components, each variant under its own number.
StepwiseRules rules(bool puts_back) {
  StepwiseRules rules{3, puts_back};
  for (OffSet set = 0; set < 8; ++set) rules.variants[set] = set;
  return rules;
}

/// Two replicates of what a set measures.
std::vector<SeenCells> measured(const std::vector<double>& values) {
  std::vector<SeenCells> seen;
  for (const double value : values) seen.push_back({std::optional(value), std::optional(value + 1)});
  return seen;
}

std::vector<int> components(const Stepwise& stepwise) {
  std::vector<int> out;
  for (const Step& step : stepwise.steps) out.push_back(step.component);
  return out;
}

/// By the set that is off. The second and third are worth 3 together and nothing alone, the first is worth 1.
const std::vector<double> kWorth{4, 3, 1, 0, 1, 0, 1, 0};

}  // namespace

TEST_CASE("a greedy path takes the best change of each round", "[statistics][stepwise]") {
  const Stepwise path = stepwise(rules(true), measured(kWorth));
  CHECK(components(path) == std::vector<int>{0, 1, 2});  // of the equal ones the first
  CHECK(path.steps[0].gain == 1);
  CHECK(path.steps[1].gain == 0);
  CHECK(path.steps[2].gain == 3);
  CHECK(path.at == 0);
  CHECK(path.open.empty());
}

TEST_CASE("elimination ends where every step loses more than may be lost", "[statistics][stepwise]") {
  StepwiseRules some = rules(false);
  some.tolerance = 0.5;
  CHECK(stepwise(some, measured(kWorth)).steps.empty());
  some.tolerance = 1;
  const Stepwise one = stepwise(some, measured(kWorth));
  CHECK(components(one) == std::vector<int>{0});
  CHECK(one.end == "every step that is left would lose more than may be lost");
  some.tolerance.reset();
  CHECK(components(stepwise(some, measured(kWorth))) == std::vector<int>{0, 1, 2});
}

TEST_CASE("where less is better the least is best", "[statistics][stepwise]") {
  StepwiseRules less = rules(true);
  less.maximize = false;
  CHECK(components(stepwise(less, measured(kWorth))).front() == 1);  // 0 from 0, before the third
}

TEST_CASE("a round is decided when all of its cells are", "[statistics][stepwise]") {
  auto seen = measured(kWorth);
  seen[3][1].reset();  // without the first two, which the first round tries
  const Stepwise waiting = stepwise(rules(true), seen);
  CHECK(waiting.steps.empty());
  CHECK(waiting.open == std::vector<OffSet>{7, 6, 5, 3});
  seen[3][1] = std::optional<double>();  // failed: more than a fifth of the replicates, no step
  CHECK(components(stepwise(rules(true), seen)) == std::vector<int>{0, 1, 2});
  seen[6][0] = std::optional<double>();  // nor is the first
  CHECK(components(stepwise(rules(true), seen)).front() == 1);
}

TEST_CASE("a set that cannot be built is no step", "[statistics][stepwise]") {
  StepwiseRules some = rules(true);
  some.variants.erase(6);
  some.variants.erase(5);
  some.variants.erase(3);
  const Stepwise stuck = stepwise(some, measured(kWorth));
  CHECK(stuck.steps.empty());
  CHECK(stuck.end == "no step is left");
}

}  // namespace stepwise_test
