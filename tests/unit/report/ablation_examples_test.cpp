// SPDX-License-Identifier: Apache-2.0
// Contrasts of an ablation by example, and their luck in words. All numbers are reckoned by hand.
#include "report/ablation_examples.hpp"

#include "report/ablation_findings.hpp"
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

TEST_CASE("the findings on new data say what would settle the rest", "[report][findings][examples]") {
  AblationStudy all = study();
  all.spec = Json::object();
  all.metric = "val.accuracy";
  for (const double rope : {0.0, 0.02}) {
    all.analysis.rope = rope;
    const auto found = report::findings_table(all, report::needs(all));
    REQUIRE(found.rows.size() == 2);
    CHECK(found.rows[0][1] == "By val.accuracy on new data, of 2 components: 2 are inconclusive (2 folds).");
    // gains of b: 0 0 1 -1, between examples 2/3 / 4, between folds 0; t(3, .975) = 3.1824
    CHECK(found.rows[1][1] ==
          "`a` and `b` are inconclusive: the intervals reach ±130 points; more data would narrow them, more replicates "
          "hardly");
  }
}

// With 10 replicates the variance is 1e-4. Its share of the examples, 2e-5, stays with more; t(1000, .975) = 1.9623, so
// a reach of .01 takes (.01 / 1.9623)^2 = 2e-5 + 8e-5 * 10 / n, n = 134.
TEST_CASE("more replicates narrow only the luck of replicates", "[report][findings][examples]") {
  report::Judged one;
  one.found.effect = statistics::Effect{.n = 10, .mean = .001, .sd = .03, .standard_error = .01, .degrees = 1000};
  const statistics::AnalysisOptions analysis{.rope = .02};
  const auto settled = [&](statistics::Luck luck) {
    one.found.luck = luck;
    return report::settling_replicates({&one}, analysis);
  };
  for (const int n : {*settled({.replicates = 8e-5, .examples = 3e-5, .both = 1e-5, .has_folds = false}),
                      *settled({.replicates = 1e-4, .examples = 2e-5, .both = 0, .has_folds = true})}) {
    CHECK(n >= 134);
    CHECK(n <= 136);  // numbers beyond 100 are tried by twos
  }
  CHECK_FALSE(settled({.replicates = 2e-5, .examples = 9e-5, .both = 1e-5, .has_folds = false}));
}

}  // namespace ablation_examples_test
