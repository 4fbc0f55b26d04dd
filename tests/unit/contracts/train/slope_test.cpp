// SPDX-License-Identifier: Apache-2.0
// Gradients against numerical differences: at which points a function is asked, and how far a gradient may be off.
#include <ATen/ATen.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"
#include "train/contracts/slope.hpp"

namespace slope_test {

using namespace dlrun::train::contracts;

namespace {

constexpr double kRounding = 20.0 / (1 << 24);

at::Tensor numbers(std::vector<double> values) { return at::tensor(values, at::kFloat); }

/// The complaint about a slope; empty: none.
std::string fault_of(const Slope& slope) {
  try {
    require_slope(slope);
    return "";
  } catch (const Broken& broken) {
    return broken.message;
  }
}

/// Direction that the comparison draws for one number.
double direction(const char* name) { return drawn({1}, name).item<double>(); }

/// A line of this slope, whose numeric differences are exact, and a gradient that is said to be another.
std::string fault_of_line(double slope, double gradient, double size = 0) {
  const auto value = [=](const at::Tensor& point) {
    return Summed{slope * point.to(at::kDouble).item<double>(), size};
  };
  return fault_of({"it", numbers({0}), numbers({gradient}), value});
}

}  // namespace

TEST_CASE("slopes are compared along two directions with three step widths", "[contracts][slope]") {
  std::vector<double> asked;
  const auto value = [&](const at::Tensor& point) {
    asked.push_back(point.item<double>());
    return Summed{double(asked.size() % 2), 0};  // steep: it never agrees along the first direction
  };
  CHECK_FALSE(fault_of({"it", numbers({5}), numbers({0}), value}).empty());
  const double d = direction("direction");
  REQUIRE(asked.size() == 6);
  const std::vector<double> steps{1e-2, -1e-2, 3e-3, -3e-3, 1e-3, -1e-3};
  for (std::size_t i = 0; i < 6; ++i) CHECK(asked[i] == Approx(5 + steps[i] * d).epsilon(1e-7));
}

TEST_CASE("one step width that agrees is enough, and both directions must agree", "[contracts][slope]") {
  std::vector<double> asked;
  const auto value = [&](const at::Tensor& point) {
    asked.push_back(point.item<double>());
    return Summed{point.item<double>(), 0};
  };
  CHECK(fault_of({"it", numbers({0}), numbers({1}), value}).empty());
  REQUIRE(asked.size() == 4);
  CHECK(asked[0] == Approx(1e-2 * direction("direction")));
  CHECK(asked[2] == Approx(1e-2 * direction("another direction")));
  CHECK(asked[3] == Approx(-1e-2 * direction("another direction")));
  const auto wrong_later = [&](const at::Tensor& point) {
    return asked.push_back(0), Summed{(asked.size() > 6 ? 3 : 1) * point.item<double>(), 0};
  };
  CHECK_FALSE(fault_of({"it", numbers({0}), numbers({1}), wrong_later}).empty());
}

TEST_CASE("each step width can be the one that agrees", "[contracts][slope]") {
  for (const double right : {1e-2, 3e-3, 1e-3}) {
    const auto value = [&](const at::Tensor& point) {
      const double x = point.item<double>(), away = std::abs(x);
      bool agrees = false;
      for (const char* name : {"direction", "another direction"})
        agrees = agrees || std::abs(away / std::abs(direction(name)) / right - 1) < 1e-3;
      return Summed{agrees ? x : 2 * x, 0};
    };
    CHECK(fault_of({"it", numbers({0}), numbers({1}), value}).empty());
  }
}

TEST_CASE("a gradient may be off by two hundredths of its length and of the difference", "[contracts][slope]") {
  // |g d - s d| <= 0.02 (|g| + |s d|) + rounding; the rounding at the widest step is 20 2^-24 / 0.01 = 1.2e-4.
  double least = 1e9;
  for (const char* name : {"direction", "another direction"}) {
    const double d = std::abs(direction(name)), s = 1000;
    least = std::min(least, (s * d * 1.02 + kRounding / 1e-3) / (d - 0.02));
  }
  CHECK(fault_of_line(1000, least - 0.5).empty());
  CHECK_FALSE(fault_of_line(1000, least + 0.5).empty());
}

TEST_CASE("rounding of both sums is allowed for, the more the narrower the step", "[contracts][slope]") {
  // A gradient of zero: |s d| <= 0.02 |s d| + 20 2^-24 (1 + 2 size) / 0.001 at the narrowest step.
  for (const double size : {0.0, 10.0}) {
    const double greatest = std::max(std::abs(direction("direction")), std::abs(direction("another direction")));
    const double edge = kRounding * (1 + 2 * size) / 1e-3 / 0.98 / greatest;
    CHECK(fault_of_line(edge * 0.99, 0, size).empty());
    CHECK_FALSE(fault_of_line(edge * 1.01, 0, size).empty());
  }
}

TEST_CASE("a slope that differs is told with both numbers of the narrowest step", "[contracts][slope]") {
  const double d = direction("direction");
  CHECK(fault_of_line(4, 1) == fmt::format("along a direction the gradient of it is {:.4g}, but numerical differences "
                                           "say {:.4g}",
                                           d, 4 * d));
  CHECK(fault_of_line(1, NAN) == "the gradient of it is not finite");
  CHECK(fault_of_line(1, INFINITY) == "the gradient of it is not finite");
}

TEST_CASE("weighted sums are made in double, with the length of their parts", "[contracts][slope]") {
  const Summed sum = summed(numbers({3, 1e8, 1}), numbers({1, 1, 4}));
  CHECK(sum.sum == 100000007.0);
  CHECK(summed(numbers({3, 1}), numbers({1, 4})).size == 5.0);
  CHECK(summed(numbers({3, 1}), numbers({-1, 4})).sum == 1.0);
}

}  // namespace slope_test
