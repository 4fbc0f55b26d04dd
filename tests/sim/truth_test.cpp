// SPDX-License-Identifier: Apache-2.0
// Verdicts of simulated studies against what is true: no more false ones than promised, and the power that is
// predicted.
#include "truth.hpp"

#include <cmath>

#include "statistics/power.hpp"
#include "statistics/sequential.hpp"
#include "support/catch.hpp"

namespace truth_test {

using namespace dlrun;
using namespace dlrun::sim;
using statistics::Boundary;

TEST_CASE("of 2,000 studies few call a component that does nothing helpful or harmful", "[sim][truth]") {
  const Truth truth = simulate({});
  CHECK(truth.false_positive <= 0.06);
  CHECK(truth.wrong_way <= 0.002);
  CHECK(truth.covered == Approx(0.95).margin(0.01));
}

TEST_CASE("of 2,000 studies of nothing but noise few call anything", "[sim][truth]") {
  const int components = GENERATE(1, 5, 10);
  const Truth truth = simulate({.informative = 0, .redundant = 0, .noise = components});
  CHECK(truth.false_positive <= 0.05 + 2 * 0.0049);
  CHECK(truth.false_positive >= 0.02);  // Holm's comparisons share the baseline; it should not be far off
}

TEST_CASE("power is what was predicted", "[sim][truth]") {
  const auto [n, effect] = GENERATE(table<int, double>({{5, 2.0}, {8, 1.0}, {10, 1.0}, {10, 1.5}, {15, 1.0}}));
  const Truth truth = simulate({.replicates = n, .effect = effect});
  const double size = statistics::paired_size(effect, 0.5);
  CHECK(truth.below_alpha == Approx(statistics::paired_t_power(size, n, 0.05)).margin(0.03));
  // Holm rejects no less than Bonferroni and no more than without correction.
  CHECK(truth.found >= statistics::paired_t_power(size, n, 0.05 / 8) - 0.03);
  CHECK(truth.found <= statistics::paired_t_power(size, n, 0.05) + 0.03);
}

TEST_CASE("what does nothing is called negligible as often as predicted", "[sim][truth]") {
  const int n = GENERATE(8, 12, 20);
  const Truth truth = simulate({.studies = 1000, .replicates = n, .informative = 0, .rope = 1});
  CHECK(truth.negligible == Approx(statistics::equivalence_power(1, n, 0.05)).margin(0.03));
}

TEST_CASE("a redundant pair shows in its interaction, not in its members", "[sim][truth]") {
  const Truth truth = simulate({.effect = 2});
  // I = -2, of four runs a replicate: its standard deviation is sqrt(4 / 2)
  CHECK(truth.interaction == Approx(statistics::paired_t_power(std::sqrt(2.0), 10, 0.05)).margin(0.03));
}

TEST_CASE("looking five times is wrong no more often than once", "[sim][truth]") {
  const Boundary boundary = GENERATE(Boundary::obrien_fleming, Boundary::pocock);
  const int family = GENERATE(1, 6);
  const auto truth = simulate_looks({.studies = 4000, .family = family, .looks = {{4, 6, 8, 10, 12}, boundary}});
  CHECK(truth.called <= 0.05 + 2 * 0.0034);
  CHECK(truth.called >= 0.02);
}

TEST_CASE("what a report says of variants that stopped at looks is seldom wrong", "[sim][truth]") {
  const Boundary boundary = GENERATE(Boundary::obrien_fleming, Boundary::pocock);
  const auto truth =
      simulate_looks({.studies = 400, .family = 3, .reports = true, .looks = {{4, 6, 8, 10, 12}, boundary}});
  CHECK(truth.reported <= 0.05 + 2 * 0.0109);
  CHECK(truth.reported >= truth.called);  // Holm keeps what was settled
}

TEST_CASE("what check expects of looks is what simulated studies take", "[sim][truth]") {
  statistics::AnalysisOptions analysis;
  analysis.looks = {{4, 6, 8, 10, 12}, Boundary::obrien_fleming};
  const double effect = GENERATE(1.0, 2.0);
  const auto expected = statistics::outlook(statistics::sequential_rules(analysis, 1), effect);
  const auto truth = simulate_looks({.effect = effect, .looks = analysis.looks});
  CHECK(expected.replicates == Approx(truth.replicates).margin(0.2));
  CHECK(expected.found == Approx(truth.called).margin(0.03));
}

TEST_CASE("seeds that looking saves, and the power it costs", "[sim][truth]") {
  using Row = std::tuple<Boundary, double, double, double>;
  const auto [boundary, effect, replicates, power] = GENERATE(table<Boundary, double, double, double>(
      {Row{Boundary::obrien_fleming, 1, 9.8, .86}, Row{Boundary::pocock, 1, 8.9, .76},
       Row{Boundary::obrien_fleming, 2, 7.1, 1.0}, Row{Boundary::pocock, 2, 5.5, 1.0}}));
  const auto truth = simulate_looks({.effect = effect, .looks = {{4, 6, 8, 10, 12}, boundary}});
  CHECK(truth.replicates == Approx(replicates).margin(0.15));
  CHECK(truth.called == Approx(power).margin(0.02));
}

TEST_CASE("what lies outside the region is seldom called negligible at some look", "[sim][truth]") {
  const auto truth = simulate_looks({.effect = 1, .rope = 1, .looks = {{4, 6, 8, 10, 12, 16}, Boundary::pocock}});
  CHECK(truth.negligible <= 0.06);
}

}  // namespace truth_test
