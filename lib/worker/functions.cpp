// SPDX-License-Identifier: Apache-2.0
#include "worker/functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "trial/test_functions.hpp"
#include "util/arithmetic.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::worker {

namespace {

using std::numbers::e;
using std::numbers::pi;
using Point = std::span<const double>;

double square(double v) { return v * v; }

double branin(Point x) {
  const double b = 5.1 / (4 * pi * pi);
  return square(x[1] - b * square(x[0]) + 5 / pi * x[0] - 6) + 10 * (1 - 1 / (8 * pi)) * arithmetic::cos(x[0]) + 10;
}

double hartmann6(Point x) {
  constexpr double kAlpha[4] = {1.0, 1.2, 3.0, 3.2};
  constexpr double kA[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  constexpr double kP[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                               {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                               {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                               {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double inner = 0;
    for (int j = 0; j < 6; ++j) inner += kA[i][j] * square(x[j] - kP[i][j]);
    sum -= kAlpha[i] * arithmetic::exp(-inner);
  }
  return sum;
}

double sphere(Point x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

/// A bowl whose axes differ by a factor of their number, with its minimum at 0.3 in every coordinate.
double quadratic(Point x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(i + 1) * square(x[i] - 0.3);
  return sum;
}

double rosenbrock(Point x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sum += 100 * square(x[i + 1] - square(x[i])) + square(1 - x[i]);
  return sum;
}

double rastrigin(Point x) {
  double sum = 10 * static_cast<double>(x.size());
  for (const double v : x) sum += v * v - 10 * arithmetic::cos(2 * pi * v);
  return sum;
}

double ackley(Point x) {
  double squares = 0;
  double cosines = 0;
  for (const double v : x) {
    squares += v * v;
    cosines += arithmetic::cos(2 * pi * v);
  }
  const double n = static_cast<double>(x.size());
  return -20 * arithmetic::exp(-0.2 * std::sqrt(squares / n)) - arithmetic::exp(cosines / n) + 20 + e;
}

double levy(Point x) {
  const auto w = [&](std::size_t i) { return 1 + (x[i] - 1) / 4; };
  const std::size_t last = x.size() - 1;
  double sum =
      square(arithmetic::sin(pi * w(0))) + square(w(last) - 1) * (1 + square(arithmetic::sin(2 * pi * w(last))));
  for (std::size_t i = 0; i < last; ++i) sum += square(w(i) - 1) * (1 + 10 * square(arithmetic::sin(pi * w(i) + 1)));
  return sum;
}

double styblinski_tang(Point x) {
  double sum = 0;
  for (const double v : x) sum += square(square(v)) - 16 * square(v) + 5 * v;
  return sum / 2;
}

/// f2 of ZDT by h(f1 / g).
template <class Shape>
std::vector<double> zdt(Point x, Shape shape) {
  double sum = 0;
  for (const double v : x.subspan(1)) sum += v;
  const double g = 1 + 9 * sum / static_cast<double>(x.size() - 1);
  return {x[0], g * shape(x[0] / g)};
}

std::vector<double> zdt1(Point x) {
  return zdt(x, [](double r) { return 1 - std::sqrt(r); });
}

std::vector<double> zdt2(Point x) {
  return zdt(x, [](double r) { return 1 - r * r; });
}

std::vector<double> zdt3(Point x) {
  const double f1 = x[0];
  return zdt(x, [f1](double r) { return 1 - std::sqrt(r) - r * arithmetic::sin(10 * pi * f1); });
}

double distance_to_middle(Point x) {
  double sum = 0;
  for (const double v : x) sum += square(v - 0.5);
  return sum;
}

std::vector<double> dtlz2(Point x) {
  const double r = 1 + distance_to_middle(x.subspan(2));
  const double a = x[0] * pi / 2;
  const double b = x[1] * pi / 2;
  return {r * arithmetic::cos(a) * arithmetic::cos(b), r * arithmetic::cos(a) * arithmetic::sin(b),
          r * arithmetic::sin(a)};
}

/// The feasible part of the front is around its ends and its middle.
std::vector<double> c2_dtlz2(Point x) {
  const double r = 1 + distance_to_middle(x.subspan(1));
  const double f1 = r * arithmetic::cos(x[0] * pi / 2);
  const double f2 = r * arithmetic::sin(x[0] * pi / 2);
  const double half = 1 / std::numbers::sqrt2;
  const double ends = std::min(square(f1 - 1) + square(f2), square(f2 - 1) + square(f1));
  const double middle = square(f1 - half) + square(f2 - half);
  return {f1, f2, std::min(ends, middle) - square(0.2)};
}

std::vector<double> bnh(Point x) {
  return {4 * square(x[0]) + 4 * square(x[1]), square(x[0] - 5) + square(x[1] - 5), square(x[0] - 5) + square(x[1]),
          square(x[0] - 8) + square(x[1] + 3)};
}

std::vector<double> gramacy(Point x) {
  const double wave = 0.5 * arithmetic::sin(2 * pi * (square(x[0]) - 2 * x[1]));
  return {x[0] + x[1], 1.5 - x[0] - 2 * x[1] - wave, square(x[0]) + square(x[1]) - 1.5};
}

using Values = std::vector<double> (*)(Point);

const std::map<std::string, Values>& several() {
  static const std::map<std::string, Values> all = {{"bnh", bnh},         {"c2_dtlz2", c2_dtlz2}, {"dtlz2", dtlz2},
                                                    {"gramacy", gramacy}, {"zdt1", zdt1},         {"zdt2", zdt2},
                                                    {"zdt3", zdt3}};
  return all;
}

using Value = double (*)(Point);

const std::map<std::string, Value>& values() {
  static const std::map<std::string, Value> all = {{"ackley", ackley},
                                                   {"branin", branin},
                                                   {"hartmann6", hartmann6},
                                                   {"levy", levy},
                                                   {"quadratic", quadratic},
                                                   {"rastrigin", rastrigin},
                                                   {"rosenbrock", rosenbrock},
                                                   {"sphere", sphere},
                                                   {"styblinski_tang", styblinski_tang}};
  return all;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (const trial::TestFunction& f : trial::kTestFunctions) {
      const auto one = values().find(f.name);
      const auto more = several().find(f.name);
      list.push_back({f.name, f.dimensions, f.least, f.objectives, one == values().end() ? nullptr : one->second,
                      more == several().end() ? nullptr : more->second});
    }
    return list;
  }();
  return all;
}

const Function& find_function(const std::string& name) {
  std::vector<std::string> names;
  for (const Function& function : functions()) {
    if (name == function.name) return function;
    names.emplace_back(function.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no function '" + name + "'",
              nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

double evaluate(const Function& function, std::span<const double> x) { return evaluate_all(function, x).front(); }

void require_coordinates(const Function& function, std::size_t count) {
  const auto wanted = static_cast<std::size_t>(function.dimensions);
  const auto least = static_cast<std::size_t>(function.least);
  if (count < least || (wanted != 0 && count != wanted)) {
    throw Error(ErrorKind::usage, std::string("function '") + function.name + "' needs " +
                                      (wanted != 0  ? std::to_string(wanted)
                                       : least == 1 ? "at least one"
                                                    : "at least " + std::to_string(least)) +
                                      " numeric parameters, but has " + std::to_string(count));
  }
}

std::vector<double> evaluate_all(const Function& function, std::span<const double> x) {
  require_coordinates(function, x.size());
  return function.value != nullptr ? std::vector<double>{function.value(x)} : function.values(x);
}

}  // namespace dlrun::worker
