// SPDX-License-Identifier: Apache-2.0
// The tree-structured Parzen estimator: its densities by numerical integrals, its choices by what they find.
#include "samplers/tpe_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "samplers/parzen.hpp"
#include "support/catch.hpp"
#include "support/spaces.hpp"
#include "util/json.hpp"

namespace tpe_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Parameter;
using space::Space;
using space::Type;
using space::Values;
using support::categorical;

namespace {

/// "a" has a child of its own, "b" none.
Space conditional() {
  return Space({categorical("branch", 2), support::under(0, {.name = "child"}), {.name = "shared"}});
}

History history_of(const Space& space, const std::vector<Values>& all) {
  History history(space);
  for (std::size_t i = 0; i < all.size(); ++i) history.on_start(trial::TrialId(static_cast<std::int64_t>(i)), all[i]);
  return history;
}

/// The mean of exp(log density) over the points of [0, 1) on one axis.
double integral(const Parzen& density, std::size_t axis) {
  double sum = 0;
  for (int i = 0; i < 20000; ++i) sum += std::exp(density.log_density(axis, (i + 0.5) / 20000)) / 20000;
  return sum;
}

/// A search of `trials` one after another; the least objective.
double least(Sampler& sampler, const Space& space, int trials, double (*objective)(const Values&)) {
  double best = 1e300;
  for (int i = 0; i < trials; ++i) {
    const auto values = sampler.propose(i);
    REQUIRE(values.has_value());
    REQUIRE(space.contains(*values));
    const double value = objective(*values);
    best = std::min(best, value);
    sampler.on_start(trial::TrialId(i), *values);
    sampler.on_result({trial::TrialId(i), *values, value, 1});
  }
  return best;
}

double bowl(const Values& values) {
  double sum = 0;
  for (const auto& v : values) sum += std::pow(std::get<double>(v) - 0.3, 2);
  return sum;
}

}  // namespace

TEST_CASE("a Parzen density integrates to one", "[samplers][parzen]") {
  const Space space({{.name = "x"}, {.name = "y"}});
  const History history = history_of(space, {{0.1, 0.5}, {0.12, 0.0}, {0.9, 1.0}, {0.4, 0.7}});
  const std::vector<std::uint32_t> trials = {0, 1, 2, 3};
  const Parzen density(history, trials, {});
  CHECK(integral(density, 0) == Approx(1).epsilon(1e-4));
  CHECK(integral(density, 1) == Approx(1).epsilon(1e-4));
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) sum += std::exp(density.log_density({(i + 0.5) / 200, (j + 0.5) / 200})) / 40000;
  }
  CHECK(sum == Approx(1).epsilon(1e-3));
}

TEST_CASE("one kernel and the prior have the density of their formula", "[samplers][parzen]") {
  const Space space({{.name = "x"}});
  const History history = history_of(space, {{0.25}});
  const std::vector<std::uint32_t> trials = {0};
  const Parzen density(history, trials, {});
  const double sigma = 0.75;  // the larger gap to an end of the domain
  const auto phi = [&](double x) {
    return std::exp(-0.5 * std::pow((x - 0.25) / sigma, 2)) / (sigma * std::sqrt(2 * std::numbers::pi));
  };
  const double mass =
      0.5 * (std::erf(0.75 / sigma / std::numbers::sqrt2) + std::erf(0.25 / sigma / std::numbers::sqrt2));
  CHECK(density.log_density({0.6}) == Approx(std::log(0.5 * phi(0.6) / mass + 0.5)).epsilon(1e-5));
  CHECK(density.log_density(0, 0.6) == Approx(density.log_density({0.6})).epsilon(1e-5));
}

TEST_CASE("choices weigh by their trials and the prior", "[samplers][parzen]") {
  const Space space({categorical("c", 4)});
  const History history = history_of(space, {{Choice{2}}, {Choice{2}}, {Choice{0}}});
  const std::vector<std::uint32_t> trials = {0, 1, 2};
  const Parzen density(history, trials, {});
  double sum = 0;
  for (int c = 0; c < 4; ++c) sum += std::exp(density.log_density({double(c)}));
  CHECK(sum == Approx(1).epsilon(1e-5));
  // Two kernels of 3/4 + 1/16, one of 1/16, and the prior's 1/4, a quarter each.
  CHECK(std::exp(density.log_density({2.0})) == Approx((2 * (0.75 + 0.0625) + 0.0625 + 0.25) / 4).epsilon(1e-5));
}

TEST_CASE("a trial that is not active on an axis is uniform there", "[samplers][parzen][conditional]") {
  const History history =
      history_of(conditional(), {{Choice{0}, 0.2, 0.5}, {Choice{1}, std::monostate(), 0.5}, {Choice{0}, 0.3, 0.4}});
  const std::vector<std::uint32_t> trials = {0, 1, 2};
  const Parzen density(history, trials, {});
  CHECK(integral(density, 1) == Approx(1).epsilon(1e-4));
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) sum += std::exp(density.log_density({0, (i + 0.5) / 200, (j + 0.5) / 200})) / 40000;
    sum += std::exp(density.log_density({1, kInactive, (i + 0.5) / 200})) / 200;
  }
  CHECK(sum == Approx(1).epsilon(1e-3));
}

TEST_CASE("a cache of kernels changes no density", "[samplers][parzen]") {
  const Space space({{.name = "x"}, {.name = "n", .type = Type::integer, .low = 1, .high = 9}});
  History history(space);
  KernelCache cache;
  RandomStream random(1, {"test"});
  std::vector<std::uint32_t> trials;
  for (std::uint32_t i = 0; i < 60; ++i) {
    history.on_start(trial::TrialId(i), {random.uniform(), std::int64_t(1 + random.below(9))});
    trials.push_back(i);
    const Coordinates point = {random.uniform(), random.uniform()};
    CHECK(Parzen(history, trials, {}, &cache).log_density(point) == Parzen(history, trials, {}).log_density(point));
  }
}

TEST_CASE("trials are ranked whole ones first, then by training, then by value", "[samplers][history]") {
  const Space space({{.name = "x"}});
  History history = history_of(space, {{0.1}, {0.2}, {0.3}, {0.4}, {0.5}});
  history.on_result({trial::TrialId(0), {}, 0.1, 1, false});
  history.on_result({trial::TrialId(1), {}, 0.9, 9, true});
  history.on_result({trial::TrialId(2), {}, 0.5, 3, false});
  history.on_result({trial::TrialId(3), {}, std::nullopt, 3, true});
  CHECK(history.ranked() == std::vector<std::uint32_t>{1, 2, 0});
  history.on_result({trial::TrialId(0), {}, 0.2, 9, true});  // promoted to the end
  CHECK(history.ranked() == std::vector<std::uint32_t>{0, 1, 2});
  history.on_result({trial::TrialId(2), {}, std::nullopt, 4, false});  // failed later
  CHECK(history.ranked() == std::vector<std::uint32_t>{0, 1});
  CHECK(history.seen() == 4);
}

TEST_CASE("TPE finds a bowl's bottom much better than random search", "[samplers][tpe]") {
  const Space space({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}});
  const std::pair<const char*, double> names[] = {{"tpe", 0.25}, {"tpe_univariate", 0.5}};
  for (const auto& [name, share] : names) {
    INFO(name);
    int wins = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto tpe = make_sampler(name, space, seed);
      const auto random = make_sampler("random", space, seed);
      wins += least(*tpe, space, 80, bowl) < share * least(*random, space, 80, bowl);
    }
    CHECK(wins >= 4);
  }
}

TEST_CASE("trials under way are kept away from", "[samplers][tpe][pending]") {
  const Space space({{.name = "a"}});
  TpeSampler tpe(space, 7, {});
  (void)least(tpe, space, 40, bowl);
  std::vector<double> asked;
  for (int i = 40; i < 60; ++i) {
    const Values values = *tpe.propose(i);
    asked.push_back(std::get<double>(values[0]));
    tpe.on_start(trial::TrialId(i), values);
  }
  std::sort(asked.begin(), asked.end());
  CHECK(asked.back() - asked.front() > 0.02);
}

TEST_CASE("TPE lives with failures, with one value everywhere and with no value at all", "[samplers][tpe]") {
  const Space space = conditional();
  const std::optional<double> results[] = {std::nullopt, 1.0, std::numeric_limits<double>::infinity()};
  for (const auto& result : results) {
    TpeSampler tpe(space, 7, {});
    for (int i = 0; i < 60; ++i) {
      const auto values = tpe.propose(i);
      REQUIRE(values.has_value());
      REQUIRE(space.contains(*values));
      tpe.on_start(trial::TrialId(i), *values);
      tpe.on_result({trial::TrialId(i), *values, result, 1});
    }
  }
}

TEST_CASE("TPE takes wide categories, single values and a thousand parameters", "[samplers][tpe]") {
  std::vector<Parameter> parameters = {
      categorical("wide", 10000), categorical("one", 1), {.name = "flat", .low = 2, .high = 2}};
  for (int i = 0; i < 1000; ++i) parameters.push_back({.name = "x" + std::to_string(i)});
  const Space space(parameters);
  TpeSampler tpe(space, 7, {});
  for (int i = 0; i < 15; ++i) {
    const auto values = tpe.propose(i);
    REQUIRE(space.contains(*values));
    tpe.on_start(trial::TrialId(i), *values);
    tpe.on_result({trial::TrialId(i), *values, double(i % 7), 1});
  }
}

TEST_CASE("whole trials that nobody chose are not good for being whole", "[samplers][tpe][bohb]") {
  // Hyperband's last brackets train every trial wholly. Here three such trials lie at 0.9 and are bad; twelve at one
  // epoch say that the least value is at 0.2. So few whole ones make no model: that of one epoch counts.
  const Space space({{.name = "x"}});
  TpeSampler sampler(space, 1, {});
  int trial = 0;
  const auto tell = [&](double x, std::int64_t steps, bool is_whole, double value) {
    sampler.on_start(trial::TrialId(trial), {x});
    sampler.on_result({trial::TrialId(trial++), {x}, value, steps, is_whole});
  };
  for (const double x : {0.90, 0.91, 0.92}) tell(x, 9, true, 5);
  for (int i = 0; i < 12; ++i) {
    const double x = (i + 0.5) / 12;
    tell(x, 1, false, std::abs(x - 0.2));
  }
  int near = 0;
  for (int i = 0; i < 50; ++i) near += std::abs(std::get<double>((*sampler.propose(100 + i))[0]) - 0.2) < 0.25 ? 1 : 0;
  CHECK(near >= 40);
  CHECK_THAT(sampler.reason(), Catch::Matchers::StartsWith("the likeliest of 24 draws to be like the best 1 of 15 "
                                                           "trials, by the 12 that came furthest; density ratio "));
}

TEST_CASE("trials are compared at the largest budget that enough of them reached", "[samplers][bohb]") {
  const Space space({{.name = "x"}});
  History history(space);
  for (int i = 0; i < 6; ++i) {
    history.on_start(trial::TrialId(i), {i / 10.0});
    history.on_result({trial::TrialId(i), {i / 10.0}, 6.0 - i, 1, false});
  }
  for (const int i : {5, 4, 3}) history.on_result({trial::TrialId(i), {i / 10.0}, i * 1.0, 3, false});
  history.on_result({trial::TrialId(3), {0.3}, 7.0, 9, true});
  CHECK(history.ranked_at_largest_budget(1) == std::vector<std::uint32_t>{3});
  CHECK(history.ranked_at_largest_budget(3) == std::vector<std::uint32_t>{3, 4, 5});
  CHECK(history.ranked_at_largest_budget(4) == std::vector<std::uint32_t>{5, 4, 3, 2, 1, 0});
  CHECK(history.ranked_at_largest_budget(7).empty());
}

}  // namespace tpe_test
