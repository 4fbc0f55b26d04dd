// SPDX-License-Identifier: Apache-2.0
// NSGA-II: who becomes a parent, and where children lie, by numbers worked out by hand.
#include "samplers/nsga_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "support/catch.hpp"
#include "support/spaces.hpp"

namespace nsga_test {

using namespace dlrun;
using namespace dlrun::samplers;

namespace {

/// A trial at x whose objectives are x and `second`.
void run_trial(NsgaSampler& sampler, std::int64_t number, double x, double second) {
  const space::Values values{x};
  sampler.on_start(trial::TrialId(number), values);
  sampler.on_result({trial::TrialId(number), values, x, 1, true, {second}});
}

/// Generations of trials at these places, where the more of one objective, the less of the other.
NsgaSampler after_front(const NsgaOptions& options, const std::vector<double>& places) {
  NsgaSampler sampler(support::cube(1), 3, options);
  for (std::size_t i = 0; i < places.size(); ++i) run_trial(sampler, std::int64_t(i), places[i], -places[i]);
  return sampler;
}

std::vector<double> children(NsgaSampler& sampler, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(std::get<double>((*sampler.propose(100 + i))[0]));
  return out;
}

double share(const std::vector<double>& values, const std::function<bool(double)>& is_counted) {
  return double(std::count_if(values.begin(), values.end(), is_counted)) / double(values.size());
}

/// Children that are copies of one parent.
constexpr NsgaOptions kCopies{.population = 4, .crossover = 0, .mutation = 0};

}  // namespace

TEST_CASE("of one front the least crowded become parents, and win tournaments", "[samplers][nsga2]") {
  // Both objectives span 0.8. Crowding, in units of 0.1 / 0.8 * 2, of what lies between the ends:
  // 0.2: 2.5 (0 to 0.25), 0.25: 1 (0.2 to 0.3), 0.3: 2.25 (0.25 to 0.475), 0.475: 3 (0.3 to 0.6), 0.6: 2.75 (0.475 to
  // 0.75), 0.75: 2 (0.6 to 0.8).
  auto sampler = after_front(kCopies, {0.3, 0.0, 0.75, 0.2, 0.6, 0.25, 0.8, 0.475});
  const std::vector<double> copies = children(sampler, 4000);
  std::map<double, double> shares;
  for (const double x : copies) shares[x] += 1.0 / 4000;
  REQUIRE(shares.size() == 4);
  // 12 of 16 pairs hold an end, 6 for each; in 3 of the other 4 is the less crowded.
  CHECK(shares[0.0] == Approx(6.0 / 16).margin(0.03));
  CHECK(shares[0.8] == Approx(6.0 / 16).margin(0.03));
  CHECK(shares[0.475] == Approx(3.0 / 16).margin(0.03));
  CHECK(shares[0.6] == Approx(1.0 / 16).margin(0.03));
}

TEST_CASE("a better front comes before any crowding", "[samplers][nsga2]") {
  NsgaSampler sampler(support::cube(1), 3, kCopies);
  const double places[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  for (int i = 0; i < 8; ++i) run_trial(sampler, i, places[i], i < 3 ? -places[i] : 10 + places[i]);
  const std::vector<double> copies = children(sampler, 4000);
  CHECK(share(copies, [](double x) { return x > 0.4; }) == 0);
  CHECK(share(copies, [](double x) { return x == 0.4; }) == Approx(1.0 / 16).margin(0.02));  // against itself alone
}

TEST_CASE("a child of two lies where simulated binary crossover puts it", "[samplers][nsga2]") {
  // Deb and Agrawal 1995 with eta = 1. Parents at 0.1 and 0.3: to the lower bound there is room for half of their
  // distance, alpha = 2 - (1 + 2 * 0.5)^-2 = 1.75; to the upper one for 3.5, alpha = 2 - 8^-2 = 1.984375. A child lies
  // outside of its parents where u > 1 / alpha. Half of the tournaments' pairs are two different parents.
  auto sampler = after_front({.population = 2, .crossover = 1, .swap = 1, .spread = 1, .mutation = 0}, {0.1, 0.3});
  std::vector<double> mixed = children(sampler, 8000);
  std::erase_if(mixed, [](double x) { return x == 0.1 || x == 0.3; });
  CHECK(double(mixed.size()) == Approx(4000).margin(200));
  CHECK(share(mixed, [](double x) { return x < 0.2; }) == Approx(0.5).margin(0.03));
  CHECK(share(mixed, [](double x) { return x < 0.1; }) == Approx((1 - 1 / 1.75) / 2).margin(0.02));
  CHECK(share(mixed, [](double x) { return x > 0.3; }) == Approx((1 - 1 / 1.984375) / 2).margin(0.02));
  // Half of the way to the middle: u <= 0.25 / alpha.
  CHECK(share(mixed, [](double x) { return x >= 0.15 && x <= 0.2; }) == Approx(0.25 / 1.75 / 2).margin(0.02));
  CHECK(share(mixed, [](double x) { return x > 0.2 && x <= 0.25; }) == Approx(0.25 / 1.984375 / 2).margin(0.02));
  CHECK(*std::min_element(mixed.begin(), mixed.end()) >= 0);
}

TEST_CASE("a coordinate changes by polynomial mutation", "[samplers][nsga2]") {
  // Deb and Agrawal 1995 with eta = 1, at 0.2: below by (2u + (1 - 2u) 0.8^2)^(1/2) - 1, above by
  // 1 - (2(1 - u) + (2u - 1) 0.2^2)^(1/2). So x < 0.1 where u < 0.17 / 0.72, and x > 0.6 where 1 - u < 0.32 / 1.92.
  auto sampler = after_front({.population = 2, .crossover = 0, .mutation = 1, .nudge = 1}, {0.2, 0.2});
  const std::vector<double> nudged = children(sampler, 8000);
  CHECK(share(nudged, [](double x) { return x == 0.2; }) == 0);  // one coordinate, and one changes in the mean
  CHECK(share(nudged, [](double x) { return x < 0.2; }) == Approx(0.5).margin(0.02));
  CHECK(share(nudged, [](double x) { return x < 0.1; }) == Approx(0.17 / 0.72).margin(0.02));
  CHECK(share(nudged, [](double x) { return x > 0.6; }) == Approx(0.32 / 1.92).margin(0.02));
}

TEST_CASE("coordinates change, cross and stay as often as asked", "[samplers][nsga2]") {
  NsgaSampler sampler(support::cube(4), 3, {.population = 2, .crossover = 0.5, .swap = 0, .mutation = 1});
  const space::Values low{0.1, 0.1, 0.1, 0.1}, high{0.9, 0.9, 0.9, 0.9};
  for (int i = 0; i < 2; ++i) {
    sampler.on_start(trial::TrialId(i), i == 0 ? low : high);
    sampler.on_result({trial::TrialId(i), i == 0 ? low : high, double(i), 1, true, {double(-i)}});
  }
  int changed = 0, whole = 0;
  for (int i = 0; i < 4000; ++i) {
    std::map<double, int> count;
    const space::Values child = *sampler.propose(100 + i);
    for (const space::Value& value : child) ++count[std::get<double>(value)];
    changed += 4 - count[0.1] - count[0.9];
    whole += count[0.1] == 0 || count[0.9] == 0;
  }
  CHECK(changed / 16000.0 == Approx(0.25).margin(0.02));
  // A quarter of the children has two different parents. Each coordinate is one's (3/8), the other's (3/8) or changed.
  CHECK(whole / 4000.0 == Approx(0.75 + 0.25 * (2 * std::pow(5.0 / 8, 4) - std::pow(0.25, 4))).margin(0.03));
}

}  // namespace nsga_test
