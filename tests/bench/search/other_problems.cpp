// SPDX-License-Identifier: Apache-2.0
// Ten functions that no default of a sampler was chosen by. Definitions: the collection of Surjanovic and Bingham
// (Virtual Library of Simulation Experiments); least values of hartmann3, shekel4 and michalewicz5 found by
// Nelder-Mead.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "search/makers.hpp"
#include "util/json.hpp"

namespace dlrun::bench {

namespace {

using std::numbers::pi;

// ---- with the domain as it is ----

double goldstein_price(const Point& x) {
  const double a = x[0], b = x[1];
  const double first = 19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b;
  const double second = 18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b;
  const double value = (1 + squared(a + b + 1) * first) * (30 + squared(2 * a - 3 * b) * second);
  return std::max(value - 3, 0.0);
}

double hartmann3(const Point& x) {
  static constexpr std::array<double, 4> kAlpha = {1.0, 1.2, 3.0, 3.2};
  static constexpr double kA[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  static constexpr double kP[4][3] = {{3689, 1170, 2673}, {4699, 4387, 7470}, {1091, 8732, 5547}, {381, 5743, 8828}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double distance = 0;
    for (int j = 0; j < 3; ++j) distance += kA[i][j] * squared(x[j] - 1e-4 * kP[i][j]);
    sum += kAlpha[i] * std::exp(-distance);
  }
  return std::max(3.862779787332663 - sum, 0.0);
}

double shekel4(const Point& x) {
  static constexpr std::array<double, 10> kBeta = {0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5};
  static constexpr double kOdd[10] = {4, 1, 8, 6, 3, 2, 5, 8, 6, 7}, kEven[10] = {4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6};
  double sum = 0;
  for (int i = 0; i < 10; ++i) {
    double distance = kBeta[i];
    for (int j = 0; j < 4; ++j) distance += squared(x[j] - (j % 2 == 0 ? kOdd[i] : kEven[i]));
    sum += 1 / distance;
  }
  return std::max(10.53644315348353 - sum, 0.0);
}

double michalewicz5(const Point& x) {
  double sum = 0;
  for (int i = 0; i < 5; ++i) sum += std::sin(x[i]) * std::pow(std::sin((i + 1) * x[i] * x[i] / pi), 20);
  return std::max(4.6876581790881495 - sum, 0.0);
}

// ---- least value 0 at a known place: they are moved ----

double griewank(const Point& x) {
  double squares = 0, product = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += x[i] * x[i] / 4000;
    product *= std::cos(x[i] / std::sqrt(double(i + 1)));
  }
  return std::max(squares - product + 1, 0.0);
}

double zakharov(const Point& x) {
  double squares = 0, weighted = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += x[i] * x[i];
    weighted += 0.5 * double(i + 1) * x[i];
  }
  return squares + squared(weighted) + squared(squared(weighted));
}

double dixon_price(const Point& x) {
  double sum = squared(x[0] - 1);
  for (std::size_t i = 1; i < x.size(); ++i) sum += double(i + 1) * squared(2 * x[i] * x[i] - x[i - 1]);
  return sum;
}

Point dixon_price_optimum(int dimensions) {
  Point optimum;
  for (int i = 0; i < dimensions; ++i) optimum.push_back(std::exp2(-(std::exp2(i + 1) - 2) / std::exp2(i + 1)));
  return optimum;
}

double powell(const Point& x) {
  double sum = 0;
  for (std::size_t i = 0; i + 3 < x.size(); i += 4) {
    sum += squared(x[i] + 10 * x[i + 1]) + 5 * squared(x[i + 2] - x[i + 3]);
    sum += squared(squared(x[i + 1] - 2 * x[i + 2])) + 10 * squared(squared(x[i] - x[i + 3]));
  }
  return sum;
}

double salomon(const Point& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return 1 - std::cos(2 * pi * std::sqrt(squares)) + 0.1 * std::sqrt(squares);
}

/// Boosted trees' error: the more trees the smaller the best rate; depth and both shares have optima of their own.
Problem boosting(RandomStream& random) {
  const double product = 0.5 + random.uniform();  // log10 of rate times trees
  const double depth = 3 + 5 * random.uniform();
  const double rows = 0.4 + 0.5 * random.uniform(), columns = 0.3 + 0.6 * random.uniform();
  const double penalty = -3 + 4 * random.uniform();
  const auto kinds = permutation(3, random);
  const auto regret = [=](const Point& x) {
    const double trees = std::log10(x[1]), off = std::log10(x[0]) + trees - product;
    return 0.4 * off * off + 0.1 * squared(3 - trees) + 0.03 * squared(x[2] - depth - off) + squared(x[3] - rows) +
           0.5 * squared(x[4] - columns) + 0.02 * squared(std::log10(x[5]) - penalty) +
           0.08 * kinds[static_cast<std::size_t>(x[6])];
  };
  return {"boosting",
          space::Space({real("rate", 1e-3, 1, true), integer("trees", 10, 1000, true), real("depth", 1, 12),
                        real("rows", 0.1, 1), real("columns", 0.1, 1), real("penalty", 1e-5, 1e3, true),
                        categorical("growth", 3)}),
          regret};
}

struct Whole {
  const char* name;
  int dimensions;
  double low, high;
  double (*value)(const Point&);
};
constexpr std::array<Whole, 4> kWhole = {{{"goldstein_price", 2, -2, 2, goldstein_price},
                                          {"hartmann3", 3, 0, 1, hartmann3},
                                          {"shekel4", 4, 0, 10, shekel4},
                                          {"michalewicz5", 5, 0, pi, michalewicz5}}};
constexpr std::array<Whole, 5> kMoved = {{{"griewank6", 6, -600, 600, griewank},
                                          {"zakharov5", 5, -5, 10, zakharov},
                                          {"dixon_price4", 4, -10, 10, dixon_price},
                                          {"powell8", 8, -4, 5, powell},
                                          {"salomon4", 4, -100, 100, salomon}}};

}  // namespace

std::vector<std::string> other_problem_names() {
  std::vector<std::string> names;
  for (const Whole& f : kWhole) names.emplace_back(f.name);
  for (const Whole& f : kMoved) names.emplace_back(f.name);
  names.emplace_back("boosting");
  return names;
}

Problem make_other_problem(const std::string& name, std::uint64_t seed) {
  RandomStream random(seed, {"bench", name});
  if (name == "boosting") return boosting(random);
  for (const Whole& f : kWhole)
    if (name == f.name) return {name, space::Space(reals(f.dimensions, f.low, f.high)), f.value};
  const auto* f = std::find_if(kMoved.begin(), kMoved.end(), [&](const Whole& f) { return name == f.name; });
  const Point optimum = name == "dixon_price4" ? dixon_price_optimum(4) : Point(std::size_t(f->dimensions), 0.0);
  return shifted(name, reals(f->dimensions, f->low, f->high), optimum, f->value, random);
}

}  // namespace dlrun::bench
