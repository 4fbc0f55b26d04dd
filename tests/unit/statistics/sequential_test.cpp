// SPDX-License-Identifier: Apache-2.0
// Who is settled at a look, and by which level.
#include "statistics/sequential.hpp"

#include "statistics/equivalence.hpp"
#include "support/catch.hpp"

namespace sequential_test {

using namespace dlrun::statistics;

namespace {

AnalysisOptions looking_at(std::vector<int> looks) {
  AnalysisOptions analysis;
  analysis.looks = {std::move(looks), Boundary::pocock};
  return analysis;
}

Cells cells(const std::vector<double>& values) { return {values.begin(), values.end()}; }

const Cells kNoise = cells({0, 0.1, -0.1, 0.2, -0.2, 0.1, 0.05, -0.05});

Cells shifted(double by) {
  Cells out;
  for (std::size_t r = 0; r < kNoise.size(); ++r) out.emplace_back(*kNoise[r] + by + (r % 2 == 0 ? 0.03 : -0.03));
  return out;
}

Effect effect(double mean, double error) {
  Effect out;
  out.n = 4;
  out.mean = mean;
  out.standard_error = error;
  return out;
}

}  // namespace

TEST_CASE("effects are held to alpha over the family, negligible ones to alpha", "[statistics][sequential]") {
  const auto rules = sequential_rules(looking_at({8}), 4);  // of a single look the level is all of it
  CHECK(rules.effect_levels[0] == Approx(0.05 / 4).epsilon(1e-6));
  CHECK(rules.negligible_levels[0] == Approx(0.05).epsilon(1e-6));
}

TEST_CASE("a variant is settled at the first look that it passes", "[statistics][sequential]") {
  auto rules = sequential_rules(looking_at({4, 6, 8}), 2);
  const auto at = [&](const Cells& variant) { return looked_at(kNoise, variant, rules); };
  CHECK(at(shifted(-1)).standing == Standing::helps);
  CHECK(at(shifted(1)).standing == Standing::hurts);
  CHECK(at(shifted(1)).look == 4);
  CHECK(at(shifted(0)).standing == Standing::go_on);
  CHECK(at(shifted(0)).look == 8);
  rules.analysis.rope = 0.2;
  CHECK(at(shifted(0)).standing == Standing::negligible);
  CHECK(at(shifted(0)).look == 4);
  rules.analysis.maximize = false;
  CHECK(at(shifted(1)).standing == Standing::helps);
  Cells later = shifted(1);
  for (std::size_t r = 4; r < 8; ++r) later[r] = *kNoise[r] - 9;  // changes nothing any more
  CHECK(at(later).standing == Standing::helps);
  CHECK(at({later.begin(), later.begin() + 3}).look == 0);
  CHECK(at({later.begin(), later.begin() + 3}).standing == Standing::go_on);
}

TEST_CASE("looks are at 4, 6, 8, 10, 12, every fourth, and all", "[statistics][sequential]") {
  CHECK(default_looks(3) == std::vector<int>{3});
  CHECK(default_looks(4) == std::vector<int>{4});
  CHECK(default_looks(12) == std::vector<int>{4, 6, 8, 10, 12});
  CHECK(default_looks(21) == std::vector<int>{4, 6, 8, 10, 12, 16, 20, 21});
}

TEST_CASE("two one-sided tests ask the nearer bound", "[statistics][equivalence]") {
  // Student's table for 3 degrees of freedom: 2.353363 is passed by 0.05, 4.540703 by 0.01.
  for (const double sign : {-1.0, 1.0}) {
    CHECK(equivalence_p(effect(sign * 0.1, 0.1 / 2.353363), 0.2) == Approx(0.05).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.1, 0.1 / 4.540703), 0.2) == Approx(0.01).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.3, 0.1 / 2.353363), 0.2) == Approx(0.95).epsilon(1e-5));
    CHECK(equivalence_p(effect(sign * 0.2, 0.1), 0.2) == Approx(0.5));
    CHECK(equivalence_p(effect(sign * 0.2, 0), 0.2) == 1);  // at the bound is not within
  }
  CHECK(equivalence_p(effect(0, 0.1), 0) == 1);
}

}  // namespace sequential_test
