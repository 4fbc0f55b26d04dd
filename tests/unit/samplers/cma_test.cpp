// SPDX-License-Identifier: Apache-2.0
// CMA-ES: what its distribution does, and what the search makes of it.
#include <algorithm>
#include <cmath>

#include "samplers/cma_distribution.hpp"
#include "samplers/cma_es_sampler.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace cma_test {

using namespace dlrun;
using namespace dlrun::samplers;
using Catch::Matchers::Contains;
using Eigen::VectorXd;
using space::Choice;
using space::Parameter;
using space::Space;
using space::Type;
using space::Values;

namespace {

/// An ellipsoid with axes of 1 to 1000, turned by 45 degrees in its first two coordinates, around 0.3.
double ellipsoid(const VectorXd& x) {
  const double a = x(0) - 0.3, b = x(1) - 0.3, c = x(2) - 0.3;
  return (a + b) * (a + b) + 1e3 * (a - b) * (a - b) + 1e6 * c * c;
}

VectorXd normal_draw(RandomStream& random, int dimensions) {
  VectorXd z(dimensions);
  for (double& value : z) value = random.normal();
  return z;
}

/// Generations until the mean's value is below `goal`, at most 500.
int generations(double goal) {
  CmaDistribution distribution(VectorXd::Constant(3, 0.7), 0.2, 7, 7);
  RandomStream random(3, {"test"});
  for (int g = 0; g < 500; ++g) {
    if (ellipsoid(distribution.mean()) < goal) return g;
    std::vector<CmaPoint> points;
    for (int i = 0; i < 7; ++i) points.push_back({distribution.at(normal_draw(random, 3))});
    std::sort(points.begin(), points.end(), [](auto& a, auto& b) { return ellipsoid(a.x) < ellipsoid(b.x); });
    distribution.update(points);
  }
  return 500;
}

void tell(Sampler& sampler, int i, const Values& values, std::optional<double> objective) {
  sampler.on_start(trial::TrialId(i), values);
  sampler.on_result({trial::TrialId(i), values, objective, 1});
}

}  // namespace

TEST_CASE("CMA-ES learns the shape of an ill-conditioned ellipsoid", "[samplers][cma]") {
  CHECK(generations(1e-10) < 250);
}

TEST_CASE("updates by few fresh points learn by lower rates", "[samplers][cma]") {
  const auto sigma_after = [](int fresh) {
    CmaDistribution d(VectorXd::Constant(2, 0.5), 0.1, 8, fresh);
    std::vector<CmaPoint> points(8, {VectorXd::Constant(2, 0.5)});
    d.update(points);
    return d.sigma();
  };
  // A step of nothing: ln sigma falls by c / d, and with n = 2 d = 1 + c. Of 8 points the best four weigh
  // ln 4.5 - ln i, so c = (m + 2) / (m + 7), m the square of the weights' sum over the sum of their squares.
  double sum = 0, squares = 0;
  for (int i = 1; i <= 4; ++i) {
    const double w = std::log(4.5) - std::log(i);
    sum += w;
    squares += w * w;
  }
  const double m = sum * sum / squares, c = (m + 2) / (m + 7), d = 1 + c;
  CHECK(sigma_after(8) == Approx(0.1 * std::exp(-c / d)));
  CHECK(sigma_after(2) == Approx(0.1 * std::exp(-c / 2 / d)));
}

TEST_CASE("a point from elsewhere moves the mean by a limited step", "[samplers][cma]") {
  CmaDistribution own(VectorXd::Constant(2, 0.5), 1e-3, 6, 6), other = own;
  std::vector<CmaPoint> points(6, {VectorXd::Constant(2, 0.5)});
  points[0].x = VectorXd::Constant(2, 0.9);
  points[0].is_own = false;
  other.update(points);
  // Hansen 2011: a length of at most sqrt(n) + 2n / (n + 2) deviations. Its weight is the first of six:
  // (ln 3.5 - ln 1) / (3 ln 3.5 - ln 6).
  const double weight = std::log(3.5) / (3 * std::log(3.5) - std::log(6.0));
  CHECK((other.mean() - own.mean()).norm() == Approx(weight * (std::sqrt(2.0) + 1) * 1e-3));
}

TEST_CASE("an integer keeps a chance to leave its value", "[samplers][cma][margin]") {
  const auto chance = [](double mean, const Thresholds& t) {
    CmaDistribution d(VectorXd::Constant(1, mean), 1e-6, 8, 8);
    d.keep_margin(0, t);
    RandomStream random(1, {"test"});
    int left = 0;
    for (int i = 0; i < 40000; ++i) {
      const double x = d.at(normal_draw(random, 1))(0);
      left += x < t.below || x > t.above;  // NaN: never
    }
    return left / 40000.0;
  };
  CHECK(chance(0.45, {0.4, 0.5}) == Approx(1.0 / 8).epsilon(0.1));
  CHECK(chance(0.45, {0.4, kInactive}) == Approx(1.0 / 8).epsilon(0.1));
  CHECK(chance(0.05, {kInactive, 0.1}) == Approx(1.0 / 8).epsilon(0.1));
  CHECK(chance(0.95, {0.9, kInactive}) == Approx(1.0 / 8).epsilon(0.1));
}

TEST_CASE("an integer may leave the value that all earlier trials had", "[samplers][cma][margin]") {
  const Space space({{.name = "x"}, {.name = "n", .type = Type::integer, .low = 0, .high = 1}});
  std::vector<Observation> earlier;
  for (int i = 0; i < 20; ++i) earlier.push_back({{}, {0.5, std::int64_t(0)}, double(i), 1});
  int left = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CmaEsSampler sampler(space, seed);
    sampler.learn(earlier);
    for (int i = 0; i < 6; ++i) {
      const Values values = *sampler.propose(i);
      left += std::get<std::int64_t>(values[1]);
      sampler.on_start(trial::TrialId(i), values);
    }
  }
  CHECK(left / 1200.0 == Approx(1.0 / 12).epsilon(0.15));  // two axes, six draws: without a margin 0.006
}

TEST_CASE("CMA-ES finds the optimum of reals, integers and choices together", "[samplers][cma]") {
  const Space space({{.name = "x", .low = -5, .high = 5},
                     {.name = "n", .type = Type::integer, .low = 0, .high = 20},
                     {.name = "c", .type = Type::categorical, .choices = {"a", "b", "c"}}});
  int found = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CmaEsSampler sampler(space, seed);
    double best = 1e300;
    for (int i = 0; i < 200; ++i) {
      const Values v = *sampler.propose(i);
      REQUIRE(space.contains(v));
      const double value = std::pow(std::get<double>(v[0]) - 1, 2) +
                           std::pow(static_cast<double>(std::get<std::int64_t>(v[1])) - 13, 2) +
                           (std::get<Choice>(v[2]).index == 1 ? 0 : 3);
      best = std::min(best, value);
      tell(sampler, i, v, value);
    }
    found += best < 1e-3;
  }
  CHECK(found >= 4);
}

TEST_CASE("results in another order end in the same generation", "[samplers][cma][pending]") {
  const Space space({{.name = "x"}, {.name = "y"}});
  CmaEsSampler forth(space, 7), back(space, 7);
  for (int block = 0; block < 10; ++block) {
    std::vector<Values> asked;
    for (int i = 0; i < 16; ++i) {
      asked.push_back(*forth.propose(block * 16 + i));
      REQUIRE(*back.propose(block * 16 + i) == asked.back());
      forth.on_start(trial::TrialId(block * 16 + i), asked.back());
      back.on_start(trial::TrialId(block * 16 + i), asked.back());
    }
    for (int i = 0; i < 16; ++i) {
      const auto result = [&](int k) {
        return Observation{trial::TrialId(block * 16 + k), asked[k], std::get<double>(asked[k][0]), 1};
      };
      forth.on_result(result(i));
      back.on_result(result(15 - i));
    }
  }
}

TEST_CASE("CMA-ES lives with failures and with one value everywhere", "[samplers][cma]") {
  const Space space({{.name = "x"}, {.name = "n", .type = Type::integer, .low = 1, .high = 3}});
  const std::optional<double> results[] = {std::nullopt, 1.0};
  for (const auto& result : results) {
    CmaEsSampler sampler(space, 7);
    for (int i = 0; i < 300; ++i) {
      const auto values = sampler.propose(i);
      REQUIRE(values.has_value());
      REQUIRE(space.contains(*values));
      tell(sampler, i, *values, result);
    }
  }
}

TEST_CASE("CMA-ES begins anew where it has converged", "[samplers][cma][restart]") {
  const Space space({{.name = "x"}, {.name = "y"}});
  CmaEsSampler sampler(space, 7);
  for (int i = 0; i < 2000; ++i) {
    const Values v = *sampler.propose(i);
    tell(sampler, i, v, std::pow(std::get<double>(v[0]) - 0.3, 2) + std::pow(std::get<double>(v[1]) - 0.4, 2));
  }
  CHECK_FALSE(sampler.reason().starts_with("run 1,"));
}

TEST_CASE("CMA-ES finds an optimum at the bounds", "[samplers][cma]") {
  const Space space({{.name = "x"}, {.name = "y"}});
  CmaEsSampler sampler(space, 7);
  double best = 1;
  for (int i = 0; i < 60; ++i) {
    const Values v = *sampler.propose(i);
    best = std::min(best, std::get<double>(v[0]) + 1 - std::get<double>(v[1]));
    tell(sampler, i, v, std::get<double>(v[0]) + 1 - std::get<double>(v[1]));
  }
  CHECK(best < 1e-12);
}

TEST_CASE("CMA-ES keeps a constraint on numbers beside choices", "[samplers][cma]") {
  // x and y may not both be above a half. The choice comes first, so numbers have other places among numbers alone.
  const Space space(
      {{.name = "c", .type = space::Type::categorical, .choices = {"a", "b"}}, {.name = "x"}, {.name = "y"}},
      {{"", space::Forbidden{{{1, {}, {{0.5, 1.0}}}, {2, {}, {{0.5, 1.0}}}}}}});
  CmaEsSampler sampler(space, 7);
  double best = 2;
  for (int i = 0; i < 60; ++i) {
    const Values v = *sampler.propose(i);
    REQUIRE(space.contains(v));
    REQUIRE((std::get<double>(v[1]) < 0.5 || std::get<double>(v[2]) < 0.5));
    if (i == 40) CHECK_THAT(sampler.reason(), Contains("run 1, generation ") && Contains(" of the space"));
    const double value = 1 - std::get<double>(v[1]) + std::pow(std::get<double>(v[2]) - 0.25, 2);
    best = std::min(best, value);
    tell(sampler, i, v, value);
  }
  CHECK(best < 1e-3);
}

TEST_CASE("draws of CMA-ES lie evenly around the mean, also where others take turns", "[samplers][cma]") {
  // Without a success the mean of a first generation is known: twelve quasi-random trials without a value, of which the
  // first three count. Of the six draws of two coordinates that follow, three lie on either side of it in each: the
  // first digits of a Sobol sequence.
  const Space space({{.name = "x"}, {.name = "y"}});
  CmaEsSampler sampler(space, 7);
  VectorXd mean = VectorXd::Zero(2);
  const auto point_of = [](const Values& v) { return Eigen::Vector2d(std::get<double>(v[0]), std::get<double>(v[1])); };
  int number = 0;
  for (int i = 0; i < 12; ++i, ++number) {
    const Values v = *sampler.propose(number);
    if (i < 3) mean += point_of(v) / 3;
    tell(sampler, number, v, std::nullopt);
  }
  int above[2] = {0, 0};
  for (int i = 0; i < 6; ++i) {
    const Values v = *sampler.propose(number);
    for (int a = 0; a < 2; ++a) above[a] += point_of(v)(a) > mean(a);
    sampler.on_start(trial::TrialId(number++), v);
    sampler.on_start(trial::TrialId(number++), {0.5, 0.5});  // another sampler's turn
  }
  CHECK(above[0] == 3);
  CHECK(above[1] == 3);
}

}  // namespace cma_test
