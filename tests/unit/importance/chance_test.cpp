// SPDX-License-Identifier: Apache-2.0
// Importances that say nothing where chance could have said the same.
#include <algorithm>
#include <string>

#include "functions.hpp"
#include "importance/fanova.hpp"
#include "importance/ped_anova.hpp"
#include "importance/shapley.hpp"
#include "support/catch.hpp"

namespace chance_test {

using namespace dlrun;
using importance::Evidence;
using importance::fanova;
using importance::ped_anova;
using space::Choice;
using support::cube;
using support::real;
using support::sample;

namespace {

space::Space choices_of_two() {
  return space::Space({{.name = "c", .type = space::Type::categorical, .choices = {0, 1}}});
}

/// Trials of one choice each; the objective is the number of the trial.
Evidence chosen(const std::vector<std::uint32_t>& choices) {
  Evidence evidence{choices_of_two(), {}, {}, std::vector<double>(choices.size(), 1.0)};
  for (const std::uint32_t choice : choices) {
    evidence.objectives.push_back(double(evidence.values.size()));
    evidence.values.push_back({Choice{choice}});
  }
  return evidence;
}

/// Objectives that have nothing to do with the values.
Evidence noise(int seed, int trials) {
  RandomStream random(7, {"noise", std::to_string(seed)});
  return sample(cube(3, 0, 1), trials, [&](const space::Values&) { return random.normal(); });
}

std::size_t told_of(int studies, const std::function<importance::Importances(const Evidence&)>& ask) {
  std::size_t told = 0;
  for (int seed = 0; seed < studies; ++seed) told += ask(noise(seed, 40)).tells() ? 1 : 0;
  return told;
}

}  // namespace

TEST_CASE("the gain of a forest that predicts everything as by hand", "[importance][chance]") {
  // 20 objectives of 0, 60 of 1, told by the choice. The mean misses a 0 by 3/4 and a 1 by 1/4, the forest none. Lower
  // end: 1 - t(0.95, 79) s / sqrt(80) / mean of the squared misses, with SciPy's t of 1.664371.
  Evidence evidence = chosen(std::vector<std::uint32_t>(80, 1));
  for (std::size_t i = 0; i < 80; ++i) {
    evidence.objectives[i] = i < 20 ? 0 : 1;
    evidence.values[i] = {Choice{i < 20 ? 0u : 1u}};
  }
  const auto found = fanova(evidence);
  REQUIRE(found.gain);
  CHECK(found.gain->value == Approx(1));
  CHECK(found.gain->low == Approx(0.7837749197).epsilon(1e-6));
  CHECK(found.tells());
}

TEST_CASE("what the budget alone explains ranks no parameter", "[importance][chance]") {
  Evidence evidence = noise(1, 80);
  for (std::size_t i = 0; i < 80; ++i) {
    evidence.budgets[i] = i % 4 == 0 ? 1 : 0.25;
    evidence.objectives[i] += evidence.budgets[i] * 20;
  }
  const auto found = fanova(evidence);
  CHECK(*found.explained > 0.8);
  CHECK(found.gain->value < 0.1);
  CHECK_FALSE(found.tells());
}

TEST_CASE("a divergence that every order of the trials has is chance", "[importance][chance]") {
  CHECK(ped_anova(chosen({0, 1, 0, 1, 0, 1, 0, 1, 0, 1})).chance == 1);
}

TEST_CASE("the p value of a divergence is that of the hypergeometric distribution", "[importance][chance]") {
  // both of the best two trials of ten have the choice that two of ten have: 1 of 45 draws does so well
  const auto found =
      ped_anova(chosen({0, 0, 1, 1, 1, 1, 1, 1, 1, 1}), {.best = 0.2, .resamples = 0, .permutations = 5000});
  REQUIRE(found.chance);
  CHECK(*found.chance == Approx(1.0 / 45).margin(0.006));  // three standard errors
  CHECK(found.tells());
}

TEST_CASE("studies of pure noise are ranked by no method", "[importance][chance]") {
  CHECK(told_of(30, [](const Evidence& e) { return fanova(e); }) <= 1);  // none of 800 at 40 trials
  CHECK(told_of(30, [](const Evidence& e) { return ped_anova(e, {.steps = 8, .resamples = 0}); }) <= 4);  // 5 %: 1.5
}

TEST_CASE("a clear parameter is told from noise and comes first", "[importance][chance]") {
  const int seed = GENERATE(1, 2, 3);
  Evidence evidence = noise(seed, 60);
  for (std::size_t i = 0; i < 60; ++i) evidence.objectives[i] += 10 * real(evidence.values[i], 1);
  const auto by_forest = fanova(evidence), by_density = ped_anova(evidence, {.resamples = 0}),
             by_moves = importance::shapley(evidence, {.points = 20});
  for (const auto& found : {by_forest, by_density, by_moves}) {
    CHECK(found.tells());
    CHECK(found.parameters[1].value > std::max(found.parameters[0].value, found.parameters[2].value));
  }
}

TEST_CASE("too few trials and equal objectives tell nothing", "[importance][chance]") {
  CHECK_FALSE(fanova(noise(1, 1)).tells());
  CHECK_FALSE(ped_anova(noise(1, 1)).tells());
  Evidence evidence = noise(1, 40);
  std::fill(evidence.objectives.begin(), evidence.objectives.end(), 1);
  CHECK_FALSE(fanova(evidence).gain);
  CHECK_FALSE(ped_anova(evidence, {.resamples = 0}).tells());
}

}  // namespace chance_test
