// SPDX-License-Identifier: Apache-2.0
// Designs in steps, as the statistics take them.
#include "ablation/rounds.hpp"

#include <tuple>

#include "support/catch.hpp"

namespace rounds_test {

using namespace dlrun;
using namespace dlrun::ablation;

namespace {

/// Three components: two variants, and one that is the same as a variant.
Plan plan(bool puts_back) {
  Plan plan;
  plan.steps = Steps{{"a", "b", "c"}, puts_back, "greedy"};
  plan.section.analysis.rope = 0.25;
  plan.variants = {{.id = "-b", .kind = "drop", .components = {"b"}},
                   {.id = "-ac", .kind = "several", .components = {"c", "a"}},
                   {.id = "unknown", .kind = "drop", .components = {"c"}}};
  plan.duplicates = {{"-abc", "-ac", {"a", "b", "c"}}};
  return plan;
}

std::optional<std::size_t> number_of(const std::string& id) {
  return id == "-b" ? std::optional<std::size_t>(1) : id == "-ac" ? std::optional<std::size_t>(2) : std::nullopt;
}

}  // namespace

TEST_CASE("a set of components that are off is a number, the first component its lowest bit", "[ablation][rounds]") {
  const statistics::StepwiseRules rules = stepwise_rules(plan(false), true, number_of);
  CHECK(rules.components == 3);
  CHECK(rules.maximize);
  CHECK(rules.variants == std::map<statistics::OffSet, std::size_t>{{2, 1}, {5, 2}, {7, 2}});
}

TEST_CASE("a path that puts components back goes on without tolerance, an elimination has that of rope",
          "[ablation][rounds]") {
  CHECK(stepwise_rules(plan(false), false, number_of).tolerance == 0.25);
  CHECK_FALSE(stepwise_rules(plan(false), false, number_of).maximize);
  CHECK(stepwise_rules(plan(true), true, number_of).puts_back);
  CHECK_FALSE(stepwise_rules(plan(true), true, number_of).tolerance);
}

TEST_CASE("a path in a given order puts the first component back first", "[ablation][rounds]") {
  const std::vector<statistics::Step> steps = given_steps(3);
  REQUIRE(steps.size() == 3);
  for (const auto& [i, before, after] : {std::tuple{0, 0b111, 0b110}, {1, 0b110, 0b100}, {2, 0b100, 0b000}}) {
    CHECK(steps[std::size_t(i)].component == i);
    CHECK(steps[std::size_t(i)].before == statistics::OffSet(before));
    CHECK(steps[std::size_t(i)].after == statistics::OffSet(after));
  }
}

}  // namespace rounds_test
