// SPDX-License-Identifier: Apache-2.0
#include "worker/functions.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "trial/test_functions.hpp"
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
  return square(x[1] - b * square(x[0]) + 5 / pi * x[0] - 6) + 10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) + 10;
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
    sum -= kAlpha[i] * std::exp(-inner);
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
  for (const double v : x) sum += v * v - 10 * std::cos(2 * pi * v);
  return sum;
}

double ackley(Point x) {
  double squares = 0;
  double cosines = 0;
  for (const double v : x) {
    squares += v * v;
    cosines += std::cos(2 * pi * v);
  }
  const double n = static_cast<double>(x.size());
  return -20 * std::exp(-0.2 * std::sqrt(squares / n)) - std::exp(cosines / n) + 20 + e;
}

double levy(Point x) {
  const auto w = [&](std::size_t i) { return 1 + (x[i] - 1) / 4; };
  const std::size_t last = x.size() - 1;
  double sum = square(std::sin(pi * w(0))) + square(w(last) - 1) * (1 + square(std::sin(2 * pi * w(last))));
  for (std::size_t i = 0; i < last; ++i) sum += square(w(i) - 1) * (1 + 10 * square(std::sin(pi * w(i) + 1)));
  return sum;
}

double styblinski_tang(Point x) {
  double sum = 0;
  for (const double v : x) sum += square(square(v)) - 16 * square(v) + 5 * v;
  return sum / 2;
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
    for (const trial::TestFunction& f : trial::kTestFunctions)
      list.push_back({f.name, f.dimensions, values().at(f.name)});
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

double evaluate(const Function& function, std::span<const double> x) {
  const auto wanted = static_cast<std::size_t>(function.dimensions);
  if (x.empty() || (wanted != 0 && x.size() != wanted)) {
    throw Error(ErrorKind::usage, std::string("function '") + function.name + "' needs " +
                                      (wanted == 0 ? "at least one" : std::to_string(wanted)) +
                                      " numeric parameters, but has " + std::to_string(x.size()));
  }
  return function.value(x);
}

}  // namespace dlrun::worker
