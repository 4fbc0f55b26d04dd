// SPDX-License-Identifier: Apache-2.0
// Contrasts of an ablation by example, and their luck in words. All numbers are reckoned by hand.
#include "report/ablation_examples.hpp"

#include "report/ablation.hpp"
#include "support/catch.hpp"

namespace ablation_examples_test {

using namespace dlrun;
using report::AblationCell;
using report::AblationStudy;
using report::AblationVariant;
using statistics::ExampleValues;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

namespace {

AblationCell judged_on(const ExampleValues& examples) {
  AblationCell cell{.is_decided = true, .metric = 0, .seconds = 0, .trial = 0, .examples = examples};
  for (const double value : examples.values) *cell.metric += value / double(examples.values.size());
  return cell;
}

/// Two replicates on examples of their own, with these values.
AblationVariant variant(const Names& off, const Values& first, const Values& second) {
  AblationVariant out;
  out.components = off;
  out.cells = {judged_on({{0, 1}, first}), judged_on({{2, 3}, second})};
  return out;
}

AblationStudy study() {
  AblationStudy out;
  out.claims = "data";
  out.components = {"a", "b"};
  out.seeds = {"1", "2"};
  out.variants = {variant({}, {1, 1}, {1, 0}), variant({"a"}, {0, 1}, {0, 0}), variant({"b"}, {1, 1}, {0, 1}),
                  variant({"a", "b"}, {0, 0}, {0, 0})};
  return out;
}

}  // namespace

TEST_CASE("a component's gain is known for each example", "[report][ablation][examples]") {
  AblationStudy all = study();
  const auto gains = report::gains_of(all, {{&all.variants[0], 1}, {&all.variants[1], -1}});
  REQUIRE(gains.size() == 2);
  CHECK(gains[0].rows == std::vector<std::int64_t>{0, 1});
  CHECK(gains[0].values == Values{1, 0});
  CHECK(gains[1].values == Values{1, 0});
  all.maximize = false;
  CHECK(report::gains_of(all, {{&all.variants[0], 1}, {&all.variants[1], -1}}, {1}).at(0).values == Values{-1, -0.0});
  all.variants[1].cells[0].examples.reset();  // a failed run
  CHECK(report::gains_of(all, {{&all.variants[0], 1}, {&all.variants[1], -1}}).size() == 1);
  all.claims = "split";
  CHECK(report::gains_of(all, {{&all.variants[0], 1}, {&all.variants[1], -1}}).empty());
}

TEST_CASE("needs and interactions are judged by their examples", "[report][ablation][examples]") {
  const AblationStudy all = study();
  const auto needs = report::needs(all);
  // gains of a: 1 0 1 0, mean 1/2; between examples 1/3 / 4, between folds 0
  CHECK(needs.at(0).found.effect->mean == Approx(.5));
  CHECK(needs[0].found.effect->degrees == 3);
  CHECK(needs[0].found.effect->standard_error == Approx(std::sqrt(1. / 12)));
  // gains of both: 1 - 0 - 1 + 0, 1 - 1 - 1 + 0; 1 - 0 - 0 + 0, 0 - 0 - 1 + 0
  const auto both = report::interactions_of(all);
  CHECK(both.at(0).found.effect->mean == Approx(-.25));
  CHECK(both[0].found.effect->standard_error == Approx(std::sqrt(2.75 / 3 / 4)));
}

TEST_CASE("effects of a fraction average over its runs, example by example", "[report][ablation][examples]") {
  AblationStudy all = study();
  all.plan.fraction.emplace();
  all.plan.fraction->aliases = {{{"a", "b"}, {}}};
  const auto effects = report::main_effects(all);
  // a: (1 + 1 - 0 - 0) / 2, (1 + 1 - 1 - 0) / 2; (1 + 0 - 0 - 0) / 2, (0 + 1 - 0 - 0) / 2
  CHECK(effects.at(0).found.effect->mean == Approx(.625));
  CHECK(effects[0].found.luck->examples == Approx((.375 * .375 + 3 * .125 * .125) / 3 / 4));
  const auto both = report::aliased_interactions(all);
  CHECK(both.at(0).found.effect->mean == Approx(-.25));
}

TEST_CASE("luck is told by where it comes from, and what would narrow it", "[report][ablation][examples]") {
  report::Judged folds, seeds;
  folds.found.luck = {.replicates = 10, .examples = 9, .both = 0, .has_folds = true};
  CHECK(report::luck_text({folds}) ==
        "examples 90 %, folds with their seeds 10 %: more data would narrow the intervals, more replicates hardly");
  seeds.found.luck = {.replicates = 10, .examples = 2, .both = 1, .has_folds = false};
  CHECK(report::luck_text({seeds}) ==
        "examples 9 %, seeds 82 %, both together 9 %: more replicates would narrow the intervals, more data hardly");
  CHECK(report::luck_text({report::Judged()}).empty());
}

}  // namespace ablation_examples_test
