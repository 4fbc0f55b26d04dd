// SPDX-License-Identifier: Apache-2.0
#include "importance/ped_anova.hpp"

#include "functions.hpp"
#include "support/catch.hpp"

namespace ped_anova_test {

using namespace dlrun;
using importance::Evidence;
using importance::ped_anova;
using space::Choice;
using support::cube;
using support::real;
using support::sample;

TEST_CASE("the parameter that the best trials have in common is the important one", "[importance][ped_anova]") {
  const auto found =
      ped_anova(sample(cube(3, 0, 1), 300, [](const auto& v) { return real(v, 1) + 0.001 * real(v, 0); }));
  CHECK(found.parameters[1].value > 0.9);
  CHECK(found.parameters[1].low <= found.parameters[1].value);
  CHECK(found.parameters[0].high < 0.1);
  CHECK_FALSE(found.explained);
}

TEST_CASE("a divergence of choices as by hand", "[importance][ped_anova]") {
  // Ten trials of a choice among two, five each; the best one has choice 0. Kernels: the distinct choices and the
  // prior. All: 3 kernels, each row (1/3 + hit) / (5/3): density of choice 0: (10 * 0.2 + 5 * 0.6 + 0.5) / 11 = 0.5.
  // Best: 2 kernels, row (1/2 + hit) / 2: density of choice 0: (0.75 + 0.5) / 2 = 0.625; 1: 0.375.
  // Divergence 0.5 (0.25^2 + 0.25^2) = 0.0625; a second parameter of the same trials alike: each has half.
  const space::Parameter c{.name = "c", .type = space::Type::categorical, .choices = {0, 1}};
  space::Parameter d = c;
  d.name = "d";
  Evidence evidence{space::Space({c, d}), {}, {}, std::vector<double>(10, 1.0)};
  for (std::uint32_t i = 0; i < 10; ++i) {
    evidence.values.push_back({Choice{i % 2}, Choice{i % 2}});
    evidence.objectives.push_back(i);
  }
  const auto found = ped_anova(evidence, {.resamples = 0});
  CHECK(found.parameters[0].value == Approx(0.5));
  CHECK(found.parameters[1].value == Approx(0.5));
}

TEST_CASE("trials with a part of the budget are never among the best while others are", "[importance][ped_anova]") {
  Evidence evidence = sample(cube(2, 0, 1), 300, [](const auto& v) { return real(v, 0); });
  for (std::size_t i = 0; i < 200; ++i) {
    evidence.budgets[i] = 0.1;
    evidence.objectives[i] = real(evidence.values[i], 1) - 10;  // lower than any with the whole budget
  }
  CHECK(ped_anova(evidence, {.resamples = 0}).parameters[0].value > 0.9);
}

}  // namespace ped_anova_test
