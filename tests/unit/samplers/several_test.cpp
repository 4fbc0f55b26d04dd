// SPDX-License-Identifier: Apache-2.0
// Samplers with several objectives and with bounds.
#include <cmath>

#include "pareto/hypervolume.hpp"
#include "samplers/history.hpp"
#include "samplers/nsga_sampler.hpp"
#include "samplers/sampler.hpp"
#include "samplers/tpe_sampler.hpp"
#include "support/catch.hpp"
#include "support/spaces.hpp"
#include "util/json.hpp"

namespace several_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Space;
using space::Type;
using space::Values;
using support::cube;
using support::under;

namespace {

/// "a" has a child of its own, "b" an integer.
Space conditional() {
  return Space({support::categorical("branch", {"a", "b"}),
                under(0, {.name = "child", .low = 0, .high = 1}),
                under(1, support::integer("steps", 1, 50)),
                {.name = "shared", .low = 0, .high = 1}});
}

Observation seen(std::int64_t trial, double first, double second, std::vector<double> excess = {}) {
  return {trial::TrialId(trial), {}, first, 1, true, {second}, std::move(excess)};
}

std::pair<double, double> zdt1(const Values& values) {
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += std::get<double>(values[i]);
  const double g = 1 + 9 * sum / double(values.size() - 1);
  const double f1 = std::get<double>(values[0]);
  return {f1, g * (1 - std::sqrt(f1 / g))};
}

/// The hypervolume up to (1.1, 11) after some trials of ZDT1 in five dimensions.
double volume_of(const std::string& op, std::uint64_t seed, int trials) {
  const Space space = cube(5);
  const auto sampler = make_sampler(op, space, seed);
  std::vector<pareto::Point> points;
  for (int i = 0; i < trials; ++i) {
    const Values values = *sampler->propose(i);
    const auto [f1, f2] = zdt1(values);
    points.push_back({f1, f2});
    sampler->on_start(trial::TrialId(i), values);
    sampler->on_result({trial::TrialId(i), values, f1, 1, true, {f2}});
  }
  return pareto::hypervolume(points, {1.1, 11});
}

}  // namespace

TEST_CASE("of several objectives trials rank by fronts, and what is infeasible last", "[samplers][several]") {
  const Space space = cube(1);
  History history(space);
  for (int i = 0; i < 6; ++i) history.on_start(trial::TrialId(i), {0.1 * i});
  history.on_result(seen(0, 3, 3, {-1}));
  history.on_result(seen(1, 1, 4, {0}));
  history.on_result(seen(2, 0, 0, {2}));
  history.on_result(seen(3, 2, 2, {-5}));
  history.on_result({trial::TrialId(4), {}, std::nullopt});
  history.on_result(seen(5, 0, 0, {0.5}));
  CHECK(history.ranked() == std::vector<std::uint32_t>{1, 3, 0, 5, 2});
  CHECK(history.tiers_of({0, 1, 2, 3, 5}) == std::vector<std::vector<std::uint32_t>>{{1, 3}, {0}, {5}, {2}});
  CHECK(history.has_several());
}

TEST_CASE("of one objective paused trials rank before infeasible ones", "[samplers][feasible]") {
  const Space space = cube(1);
  History history(space);
  for (int i = 0; i < 4; ++i) history.on_start(trial::TrialId(i), {0.1 * i});
  history.on_result({trial::TrialId(0), {}, 1.0, 9, true, {}, {0.25, 0.25}});
  history.on_result({trial::TrialId(1), {}, 7.0, 9, true, {}, {-1, 0}});
  history.on_result({trial::TrialId(2), {}, 2.0, 3, false, {}, {-1, -1}});
  history.on_result({trial::TrialId(3), {}, 9.0, 9, true, {}, {0.1, -3}});
  CHECK(history.ranked() == std::vector<std::uint32_t>{1, 2, 3, 0});
}

TEST_CASE("evolution and TPE find a front that chance does not", "[samplers][several]") {
  const std::string op = GENERATE("nsga2", "tpe", "tpe_univariate", "auto");
  double mine = 0;
  double chance = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    mine += volume_of(op, seed, 120) / 3;
    chance += volume_of("random", seed, 120) / 3;
  }
  CAPTURE(op, mine, chance);
  CHECK(mine > chance + 0.4);  // the front itself has 11.77
}

TEST_CASE("a generation is learnt from when all of it is visible, whatever arrives first", "[samplers][nsga2]") {
  const Space space = cube(2);
  NsgaSampler one(space, 3, {.population = 4});
  NsgaSampler other(space, 3, {.population = 4});
  std::vector<Values> values;
  for (int i = 0; i < 6; ++i) {
    values.push_back(*one.propose(i));
    for (NsgaSampler* sampler : {&one, &other}) sampler->on_start(trial::TrialId(i), values.back());
  }
  const auto tell = [&](NsgaSampler& sampler, int i) {
    sampler.on_result({trial::TrialId(i), values[std::size_t(i)], double(i), 1, true, {double(-i)}});
  };
  for (const int i : {4, 1, 0, 2}) tell(one, i);
  CHECK_THAT(one.reason(), Contains("quasi-random"));
  one.propose(9);
  CHECK_THAT(one.reason(), Contains("quasi-random"));  // trial 3 is under way
  tell(one, 3);
  for (const int i : {3, 2, 1, 4, 0}) tell(other, i);
  CHECK(one.propose(10) == other.propose(10));
  CHECK_THAT(one.reason(), Contains("generation 1"));
}

TEST_CASE("children lie in a mixed and conditional space, and repeat nothing of a finite one", "[samplers][nsga2]") {
  const Space space = conditional();
  NsgaSampler sampler(space, 5);
  for (int i = 0; i < 150; ++i) {
    const Values values = *sampler.propose(i);
    REQUIRE(space.contains(values));
    sampler.on_start(trial::TrialId(i), values);
    const double shared = std::get<double>(values[3]);
    sampler.on_result({trial::TrialId(i), values, shared, 1, true, {1 - shared}});
  }
  const Space finite({{.name = "n", .type = Type::integer, .low = 1, .high = 30}});
  NsgaSampler all(finite, 5);
  for (int i = 0; i < 30; ++i) {
    const Values values = *all.propose(i);
    all.on_start(trial::TrialId(i), values);
    all.on_result({trial::TrialId(i), values, 1.0, 1});
  }
  CHECK_FALSE(all.propose(30).has_value());
}

TEST_CASE("a generation that fails whole leaves no parents, and the search goes on", "[samplers][nsga2]") {
  const Space space = cube(2);
  NsgaSampler sampler(space, 1, {.population = 4});
  for (int i = 0; i < 12; ++i) {
    const Values values = *sampler.propose(i);
    sampler.on_start(trial::TrialId(i), values);
    sampler.on_result({trial::TrialId(i), values, std::nullopt});
  }
  CHECK(sampler.propose(12).has_value());
}

TEST_CASE("a Gaussian process whose trials all failed goes on", "[samplers][gp]") {
  // It read the worst value of an empty list.
  const Space space = cube(2);
  const auto sampler = make_sampler("gp", space, 1);
  for (int i = 0; i < 14; ++i) {
    const auto values = sampler->propose(i);
    REQUIRE(values.has_value());
    sampler->on_start(trial::TrialId(i), *values);
    sampler->on_result({trial::TrialId(i), *values, std::nullopt});
  }
}

TEST_CASE("bounds lead the search to where it is feasible", "[samplers][feasible]") {
  // The least sum of squares with x + y >= 1.5 is 1.125 at (0.75, 0.75); without the bound it is 0.
  const std::string op = GENERATE("tpe", "cma_es", "nsga2", "gp");
  const Space space = cube(2);
  const auto sampler = make_sampler(op, space, 2);
  int late = 0;
  double best = 1e9;
  const int trials = op == "gp" ? 60 : 120;
  for (int i = 0; i < trials; ++i) {
    const Values values = *sampler->propose(i);
    const double x = std::get<double>(values[0]);
    const double y = std::get<double>(values[1]);
    const double excess = 1.5 - x - y;
    sampler->on_start(trial::TrialId(i), values);
    sampler->on_result({trial::TrialId(i), values, x * x + y * y, 1, true, {}, {excess}});
    if (excess <= 0) best = std::min(best, x * x + y * y);
    if (i >= trials / 2 && excess <= 0) ++late;
  }
  CAPTURE(op, best, late);
  if (op != "gp") CHECK(late >= trials / 8);  // of half of them; the process keeps to the bound, a hair on either side
  CHECK(best < 1.125 * 1.1);
}

}  // namespace several_test
