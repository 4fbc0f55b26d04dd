// SPDX-License-Identifier: Apache-2.0
// Shares of variance against functions whose decomposition is known in closed form.
#include "importance/fanova.hpp"

#include <algorithm>
#include <cmath>

#include "functions.hpp"
#include "support/catch.hpp"

namespace fanova_test {

using namespace dlrun;
using importance::Evidence;
using importance::fanova;
using importance::Importances;
using space::Choice;
using support::cube;
using support::real;
using support::sample;

namespace {

double pair_of(const Importances& found, std::size_t first, std::size_t second) {
  for (const auto& pair : found.pairs) {
    if (pair.first == first && pair.second == second) return pair.share.value;
  }
  FAIL("there is no such pair");
  return 0;
}

/// `opt` decides whether `mom` is active; `x` always is.
space::Space conditional_space() {
  space::Parameter opt{.name = "opt", .type = space::Type::categorical, .choices = {"sgd", "adam"}};
  space::Parameter mom{.name = "mom"};
  mom.when = {{0, {Choice{0}}}};
  return space::Space({opt, mom, {.name = "x"}});
}

}  // namespace

TEST_CASE("an additive function has no interactions", "[importance][fanova]") {
  // 4 x0 + 2 x1 + x2: variances 16, 4 and 1 of 21.
  const auto found =
      fanova(sample(cube(4, 0, 1), 1000, [](const auto& v) { return 4 * real(v, 0) + 2 * real(v, 1) + real(v, 2); }));
  CHECK(found.parameters[0].value == Approx(16.0 / 21).margin(0.02));
  CHECK(found.parameters[1].value == Approx(4.0 / 21).margin(0.02));
  CHECK(found.parameters[2].value == Approx(1.0 / 21).margin(0.02));
  CHECK(found.parameters[3].value < 0.002);
  CHECK(pair_of(found, 0, 1) < 0.02);
  CHECK(*found.explained > 0.98);
}

TEST_CASE("Ishigami's function: one parameter acts only together with another", "[importance][fanova]") {
  // sin a + 7 sin^2 b + 0.1 c^4 sin a on [-pi, pi]^3 (Ishigami and Homma 1990): S1 = 0.314, S2 = 0.442, S13 = 0.244.
  const auto found = fanova(sample(cube(3, -M_PI, M_PI), 1000, [](const auto& v) {
    const double a = std::sin(real(v, 0)), b = std::sin(real(v, 1));
    return a + 7 * b * b + 0.1 * std::pow(real(v, 2), 4) * a;
  }));
  CHECK(found.parameters[0].value == Approx(0.314).margin(0.05));
  CHECK(found.parameters[1].value == Approx(0.442).margin(0.15));  // a bend that a thousand trials just show
  CHECK(found.parameters[2].value < 0.03);
  CHECK(pair_of(found, 0, 2) == Approx(0.244).margin(0.06));
  CHECK(pair_of(found, 0, 1) < 0.03);
}

TEST_CASE("Sobol's g-function: most parameters do not matter", "[importance][fanova]") {
  // prod (|4 x - 2| + a) / (1 + a) with a = 0, 1, 4.5, 9, 99, …: S1 = 0.716, S2 = 0.179, S3 = 0.024, S12 = 0.060.
  const std::vector<double> a{0, 1, 4.5, 9, 99, 99, 99, 99};
  const auto found = fanova(sample(cube(8, 0, 1), 1000, [&](const auto& v) {
    double product = 1;
    for (std::size_t i = 0; i < a.size(); ++i) product *= (std::abs(4 * real(v, i) - 2) + a[i]) / (1 + a[i]);
    return product;
  }));
  CHECK(found.parameters[0].value == Approx(0.716).margin(0.03));
  CHECK(found.parameters[1].value == Approx(0.179).margin(0.05));
  CHECK(pair_of(found, 0, 1) == Approx(0.060).margin(0.04));
  for (std::size_t i = 4; i < 8; ++i) CHECK(found.parameters[i].value < 0.002);
}

TEST_CASE("a parameter that is not always active counts, and its interaction with what decides",
          "[importance][fanova]") {
  // mom - 0.5 under sgd, else 0; plus 0.3 x. With the mean over opt: (mom - 0.5) / 2, variance 1 / 48; what opt and mom
  // have together is another 1 / 48; x has 0.09 / 12.
  const auto found = fanova(sample(conditional_space(), 500, [](const auto& v) {
    const auto* mom = std::get_if<double>(&v[1]);
    return (mom != nullptr ? *mom - 0.5 : 0) + 0.3 * real(v, 2);
  }));
  const double all = 2.0 / 48 + 0.09 / 12;
  CHECK(found.parameters[0].value < 0.01);
  CHECK(found.parameters[1].value == Approx(1.0 / 48 / all).margin(0.04));
  CHECK(found.parameters[2].value == Approx(0.09 / 12 / all).margin(0.04));
  CHECK(pair_of(found, 0, 1) == Approx(1.0 / 48 / all).margin(0.04));
}

TEST_CASE("a parameter on a log scale is measured in its logarithm", "[importance][fanova]") {
  // log10 lr + 2 x: variances 36 / 12 and 4 / 12. In linear space nearly all trials would lie in the first tenth.
  const space::Space space({{.name = "lr", .low = 1e-6, .high = 1, .log = true}, {.name = "x"}});
  const auto found = fanova(sample(space, 500, [](const auto& v) { return std::log10(real(v, 0)) + 2 * real(v, 1); }));
  CHECK(found.parameters[0].value == Approx(0.9).margin(0.02));
  CHECK(found.parameters[1].value == Approx(0.1).margin(0.02));
}

TEST_CASE("categories count by what each is worth, also those that no trial has", "[importance][fanova]") {
  std::vector<nlohmann::json> choices;
  for (int i = 0; i < 1000; ++i) choices.emplace_back(i);
  const space::Space space({{.name = "c", .type = space::Type::categorical, .choices = {"a", "b", "c", "d"}},
                            {.name = "many", .type = space::Type::categorical, .choices = choices}});
  const auto found = fanova(sample(space, 300, [](const auto& v) { return std::get<Choice>(v[0]).index % 2; }));
  CHECK(found.parameters[0].value > 0.99);
  CHECK(found.parameters[1].value < 0.01);
}

TEST_CASE("trials with a part of the budget tell about the whole one", "[importance][fanova]") {
  // After a tenth of the budget x1 decides, after all of it x0 does.
  Evidence evidence = sample(cube(2, 0, 1), 400, [](const auto& v) { return real(v, 0); });
  for (std::size_t i = 0; i < 300; ++i) {
    evidence.budgets[i] = 0.1;
    evidence.objectives[i] = 5 * real(evidence.values[i], 1);
  }
  const auto found = fanova(evidence);
  CHECK(found.parameters[0].value > 0.8);
  CHECK(found.parameters[1].value < 0.1);
}

TEST_CASE("a few objectives that are far off do not drown the others", "[importance][fanova]") {
  Evidence evidence = sample(cube(2, 0, 1), 200, [](const auto& v) { return real(v, 0); });
  for (std::size_t i = 0; i < 200; i += 50) evidence.objectives[i] = 1e9;
  std::size_t moved = 0;
  const auto y = importance::fenced(evidence.objectives, &moved);
  CHECK(moved == 4);
  CHECK(*std::max_element(y.begin(), y.end()) < 5);
  CHECK(fanova(evidence).parameters[0].value > 0.5);
}

TEST_CASE("where there is nothing to tell apart there are no shares", "[importance][fanova]") {
  SECTION("all objectives equal") {
    const auto found = fanova(sample(cube(2, 0, 1), 50, [](const auto&) { return 1; }));
    CHECK(found.parameters[0].value == 0);
    CHECK_FALSE(found.explained);
  }
  SECTION("no trial, one trial") {
    for (const int n : {0, 1}) {
      CHECK(fanova(sample(cube(2, 0, 1), n, [](const auto& v) { return real(v, 0); })).parameters[1].value == 0);
    }
  }
  SECTION("a parameter of one value") {
    const space::Space space({{.name = "one", .low = 2, .high = 2}, {.name = "x"}});
    const auto found = fanova(sample(space, 100, [](const auto& v) { return real(v, 1); }));
    CHECK(found.parameters[0].value == 0);
    CHECK(found.parameters[1].value == Approx(1));
  }
}

TEST_CASE("noise is not explained", "[importance][fanova]") {
  RandomStream random(1, {"noise"});
  const auto found = fanova(sample(cube(4, 0, 1), 200, [&](const auto&) { return random.normal(); }));
  CHECK(*found.explained < 0.1);
}

}  // namespace fanova_test
