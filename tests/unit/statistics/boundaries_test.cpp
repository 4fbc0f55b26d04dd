// SPDX-License-Identifier: Apache-2.0
#include "statistics/boundaries.hpp"

#include <cmath>

#include "statistics/crossing.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace boundaries_test {

using namespace dlrun;
using namespace dlrun::statistics;

namespace {

/// Share of null studies in which some look rejects.
double simulated(const std::vector<Look>& looks, int studies) {
  RandomStream stream(5, {"boundaries"});
  int crossed = 0;
  for (int s = 0; s < studies; ++s) {
    std::vector<double> all;
    for (int i = 0; i < looks.back().n; ++i) all.push_back(stream.normal());
    bool is_crossed = false;
    for (const Look& look : looks) {
      const std::vector<double> seen(all.begin(), all.begin() + look.n);
      const double t = mean(seen) / (standard_deviation(seen) / std::sqrt(double(look.n)));
      is_crossed = is_crossed || t_two_sided(t, look.n - 1) < look.level;
    }
    crossed += is_crossed;
  }
  return double(crossed) / studies;
}

std::vector<Look> plain(std::initializer_list<int> at) {
  std::vector<Look> looks;
  for (const int n : at) looks.push_back({n, 0.05});
  return looks;
}

}  // namespace

TEST_CASE("peeking at every seed is wrong far more often than it says", "[statistics][sequential]") {
  CHECK(crossing_probability(plain({10})) == Approx(0.05));
  CHECK(crossing_probability(plain({4, 6, 8, 10, 12})) == Approx(0.140).margin(0.001));
  CHECK(crossing_probability(plain({3, 4, 5, 6, 7, 8, 9, 10, 11, 12})) == Approx(0.185).margin(0.0015));
}

TEST_CASE("how often looks are beyond their levels, beside a simulation", "[statistics][sequential]") {
  const auto looks = GENERATE(std::vector<Look>{{2, .03}, {3, .02}, {5, .05}}, std::vector<Look>{{4, .1}, {20, .02}},
                              std::vector<Look>{{3, .01}, {5, .2}, {7, .001}, {8, .05}});
  constexpr int kStudies = 20'000;
  const double expected = crossing_probability(looks);
  CHECK(simulated(looks, kStudies) == Approx(expected).margin(3 * std::sqrt(expected / kStudies)));
}

TEST_CASE("nominal levels that hold .05 over five looks", "[statistics][sequential]") {
  const std::vector<int> looks = {4, 6, 8, 10, 12};
  const auto obf = nominal_levels(looks, Boundary::obrien_fleming, 0.05);
  const std::vector<double> expected = {.0003, .0032, .0106, .0222, .0368};
  for (std::size_t i = 0; i < looks.size(); ++i) CHECK(obf[i] == Approx(expected[i]).margin(0.0004));
  for (const double level : nominal_levels(looks, Boundary::pocock, 0.05)) CHECK(level == Approx(.0156).margin(.0003));
  const auto every = nominal_levels({3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Boundary::pocock, 0.05);
  CHECK(every[0] == Approx(.0104).margin(.0003));
}

TEST_CASE("many replicates are as a Brownian motion", "[statistics][sequential]") {
  // Pocock's constant for five equal looks is 2.413, O'Brien and Fleming's 2.040 (Jennison and Turnbull,
  // tables 2.1, 2.3)
  const std::vector<int> looks = {400, 800, 1200, 1600, 2000};
  CHECK(nominal_levels(looks, Boundary::pocock, 0.05)[0] == Approx(0.01582).epsilon(0.01));
  CHECK(nominal_levels(looks, Boundary::obrien_fleming, 0.05)[4] == Approx(0.04135).epsilon(0.01));
}

TEST_CASE("a p value over looks is the least alpha at which they stop", "[statistics][sequential]") {
  const std::vector<int> looks = {4, 6, 8, 10, 12};
  const Boundary boundary = GENERATE(Boundary::obrien_fleming, Boundary::pocock);
  const double alpha = GENERATE(0.05, 0.005, 1e-5);
  const auto levels = nominal_levels(looks, boundary, alpha);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    std::vector<double> p(i, 1.0);
    p.push_back(levels[i]);
    CHECK(sequential_p(p, looks, boundary) == Approx(alpha).epsilon(1e-3));
  }
  CHECK(sequential_p({}, looks, boundary) == 1);
  CHECK(sequential_p({0.03}, {10}, boundary) == 0.03);
}

TEST_CASE("an effect beyond all doubt has a p value over an early look", "[statistics][sequential]") {
  const double p = GENERATE(1e-16, 1e-20, 1e-32, 1e-34, 1e-36);
  const int early = GENERATE(2, 3, 4);
  CHECK(std::log10(sequential_p({0.02, p}, {early, 20}, Boundary::obrien_fleming) / p) == Approx(0).margin(1.5));
  CHECK(crossing_probability({{2, 1e-306}, {20, 1e-5}}) == Approx(1e-5).epsilon(1e-3));
}

TEST_CASE("names of boundaries", "[statistics][sequential]") {
  CHECK(boundary_named("obf") == Boundary::obrien_fleming);
  CHECK_THROWS_AS(boundary_named("haybittle"), Error);
}

}  // namespace boundaries_test
