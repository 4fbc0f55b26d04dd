// SPDX-License-Identifier: Apache-2.0
#include "statistics/contributions.hpp"

#include "statistics/equivalence.hpp"
#include "statistics/sequential.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace contributions_test {

using namespace dlrun::statistics;

namespace {

const Cells kBase = {.80, .82, .79, .81, .83, .80, .82, .81};

/// The baseline moved by -`effect`, and a little noise that is the same in size both ways.
Cells moved(double effect, double noise = 0.002) {
  Cells out;
  for (std::size_t r = 0; r < kBase.size(); ++r) out.emplace_back(*kBase[r] - effect + (r % 2 == 0 ? noise : -noise));
  return out;
}

AnalysisOptions with_rope(double rope) {
  AnalysisOptions options;
  options.rope = rope;
  return options;
}

}  // namespace

TEST_CASE("verdicts in words", "[statistics][contributions]") {
  const auto found = contributions(kBase, {moved(.05), moved(-.05), moved(0), moved(.001, .05)}, with_rope(.01));
  CHECK(found[0].verdict == Verdict::helps);
  CHECK(found[1].verdict == Verdict::hurts);
  CHECK(found[2].verdict == Verdict::negligible);
  CHECK(found[3].verdict == Verdict::inconclusive);
  CHECK(word(found[2].verdict) == "negligible");
  CHECK(found[0].effect->mean == Approx(.05));
  CHECK(found[0].metric == Approx(.76));
}

TEST_CASE("a loss that falls without the component says it hurts", "[statistics][contributions]") {
  AnalysisOptions options;
  options.maximize = false;
  CHECK(contributions(kBase, {moved(.05)}, options)[0].verdict == Verdict::hurts);
}

TEST_CASE("without a region of equivalence nothing is negligible", "[statistics][contributions]") {
  CHECK(contributions(kBase, {moved(0)}, AnalysisOptions())[0].verdict == Verdict::inconclusive);
}

// Two pairs that were equal by chance settled that "it may go".
TEST_CASE("equal pairs are negligible from five on", "[statistics][contributions]") {
  const auto verdict = [](std::size_t n, std::vector<int> looks = {}) {
    AnalysisOptions options = with_rope(.01);
    options.looks.at = std::move(looks);
    const Cells base(kBase.begin(), kBase.begin() + std::ptrdiff_t(n));
    return contributions(base, {base}, options)[0].verdict;
  };
  CHECK(verdict(2) == Verdict::inconclusive);
  CHECK(verdict(4) == Verdict::inconclusive);
  CHECK(verdict(5) == Verdict::negligible);
  CHECK(verdict(4, {4, 8}) == Verdict::negligible);  // as the looks of a study settle it
}

TEST_CASE("only complete pairs count, and failures are told", "[statistics][contributions]") {
  Cells lossy = moved(.05);
  lossy[2] = std::nullopt;
  const auto one = contributions(kBase, {lossy}, AnalysisOptions())[0];
  CHECK(one.effect->n == 7);
  CHECK(one.lost == 1);
  CHECK(one.verdict == Verdict::helps);
  lossy[5] = std::nullopt;  // 2 of 8
  const auto two = contributions(kBase, {lossy}, AnalysisOptions())[0];
  CHECK(two.is_unstable);
  CHECK(two.verdict == Verdict::invalid);
}

TEST_CASE("what did not train is not ranked, nor in the family", "[statistics][contributions]") {
  const Cells collapsed(8, 0.5964912);
  SECTION("a variant") {
    const auto found = contributions(kBase, {collapsed, moved(.05)}, AnalysisOptions());
    CHECK(found[0].is_collapsed);
    CHECK(found[0].verdict == Verdict::invalid);
    CHECK(found[0].p_corrected == 1);
    CHECK(found[1].p_corrected == found[1].p);  // the only one left
  }
  SECTION("the baseline") {
    for (const auto& c : contributions(collapsed, {kBase, moved(.05)}, AnalysisOptions()))
      CHECK(c.verdict == Verdict::invalid);
  }
  SECTION("one that the caller knows of") {
    CHECK(contributions(std::vector<Comparison>{{kBase, moved(.05), true}}, AnalysisOptions())[0].verdict ==
          Verdict::invalid);
  }
}

TEST_CASE("two replicates of equal metric are no collapse", "[statistics][contributions]") {
  CHECK_FALSE(is_constant({.5, .5}));
  CHECK(is_constant({.5, .5, std::nullopt, .5}));
}

TEST_CASE("what has no noise is no collapse where it need not have any", "[statistics][contributions]") {
  const Cells base(10, 0.9), without(10, 0.75), same(10, 0.9);
  const AnalysisOptions options{.constant_is_collapsed = false};
  const auto found = contributions(base, {without, same}, options);
  CHECK(found[0].verdict == Verdict::helps);
  CHECK(found[0].effect->mean == Approx(0.15));
  CHECK(found[0].p == Approx(2.0 / 1024));  // what signs alone can say of ten
  CHECK(found[1].verdict == Verdict::inconclusive);
  CHECK(contributions(base, {without}, AnalysisOptions())[0].verdict == Verdict::invalid);
}

TEST_CASE("p values are corrected over the family", "[statistics][contributions]") {
  const auto found = contributions(kBase, {moved(.05), moved(.004), moved(.002)}, AnalysisOptions());
  CHECK(found[0].p_corrected == Approx(3 * found[0].p));
  CHECK(found[1].p_corrected == Approx(2 * found[1].p));
  CHECK(found[2].p_corrected == Approx(found[2].p));
}

TEST_CASE("an interaction is what the joint loss has over the sum", "[statistics][contributions]") {
  const Cells i = moved(.02), j = moved(.03), ij = moved(.03);  // neither is worth much without the other
  const auto found = interactions({{&kBase, &i, &j, &ij}}, {});
  CHECK(found[0].effect->mean == Approx(.02 + .03 - .03));
  AnalysisOptions loss;
  loss.maximize = false;
  CHECK(interactions({{&kBase, &i, &j, &ij}}, loss)[0].effect->mean == Approx(-.02));
}

// Without both components the net guesses, as it does without the first: it would seem that the two need each other.
TEST_CASE("no interaction is judged from a variant that collapsed or is unstable", "[statistics][contributions]") {
  const Cells i = moved(.85), j = moved(.05), ij = moved(.85);
  const Crossing collapsed{&kBase, &i, &j, &ij, true};
  CHECK(interactions({collapsed}, {})[0].is_invalid);
  CHECK_FALSE(interactions({collapsed}, {})[0].effect.has_value());
  Cells lossy = moved(.02), constant(kBase.size(), .1);
  for (std::size_t r = 0; r < 3; ++r) lossy[r].reset();
  CHECK(interactions({{&kBase, &i, &j, &lossy}}, {})[0].is_invalid);
  CHECK(interactions({{&kBase, &constant, &j, &ij}}, {})[0].is_invalid);
  AnalysisOptions programs;
  programs.constant_is_collapsed = false;
  CHECK_FALSE(interactions({{&kBase, &constant, &j, &ij}}, programs)[0].is_invalid);
  const auto family = interactions({collapsed, {&kBase, &j, &j, &j}}, {});
  CHECK(family[1].p_corrected == family[1].p);  // those that are not judged are no part of the family
}

TEST_CASE("names of tests and corrections", "[statistics][contributions]") {
  CHECK(paired_test_named("wilcoxon") == PairedTest::wilcoxon);
  CHECK(correction_named("bh") == Correction::benjamini_hochberg);
  CHECK_THROWS_AS(paired_test_named("welch"), dlrun::Error);
  CHECK_THROWS_AS(correction_named("sidak"), dlrun::Error);
}

TEST_CASE("a claim about new examples takes the variance of the examples", "[statistics][contributions]") {
  const Cells with = {.5, .5}, without = {0., 1.};
  Comparison seeds{with, without}, rows{with, without};
  rows.gains = {{{0, 1, 2, 3}, {1, 1, 0, 0}}, {{4, 5, 6, 7}, {-1, -1, 0, 0}}};
  const auto found = contributions({seeds, rows}, AnalysisOptions());
  CHECK(found[0].effect->mean == found[1].effect->mean);
  CHECK(found[0].effect->degrees == 1);
  CHECK_FALSE(found[0].luck.has_value());
  CHECK(found[1].effect->degrees == 1);
  CHECK(found[1].luck->examples == Approx(4. / 7 / 8));
  CHECK(found[1].luck->replicates == Approx(.25));
  CHECK(found[1].p == found[1].effect->p);
  rows.gains = {{{0, 1, 2, 3}, {3, -1, 2, 0}}, {{4, 5, 6, 7}, {-3, 1, -2, 0}}};
  const Contribution negligible = contributions({rows}, with_rope(.5))[0];
  CHECK(negligible.p_equivalence == equivalence_p(*negligible.effect, .5));
  CHECK(negligible.p_equivalence != equivalence_p(*found[0].effect, .5));
  CHECK_FALSE(found[1].is_disputed);
}

TEST_CASE("a claim about new examples may be looked at while it grows", "[statistics][contributions]") {
  Comparison grows{{1., 1., 1., 1.}, {0., 0., 0., 0.}};
  for (int r = 0; r < 4; ++r) grows.gains.push_back({{2 * r, 2 * r + 1}, {1. - .1 * r, 1. + .1 * r}});
  AnalysisOptions options;
  options.looks.at = {2, 4};
  const double first = claimed_effect({grows.gains[0], grows.gains[1]})->effect.p,
               all = claimed_effect(grows.gains)->effect.p;
  CHECK(contributions({grows}, options)[0].p == sequential_p({first, all}, {2, 4}, Boundary::obrien_fleming));
}

TEST_CASE("a look at which one example was measured says nothing yet", "[statistics][contributions]") {
  Comparison grows{{1., 1., 1., 1.}, {0., 0., 0., 0.}};
  for (int r = 0; r < 4; ++r) grows.gains.push_back({{r / 2}, {1. + .1 * r}});
  AnalysisOptions options;
  options.looks.at = {2, 4};
  const double all = claimed_effect(grows.gains)->effect.p;
  CHECK(contributions({grows}, options)[0].p == sequential_p({1, all}, {2, 4}, Boundary::obrien_fleming));
}

}  // namespace contributions_test
