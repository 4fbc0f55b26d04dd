// SPDX-License-Identifier: Apache-2.0
// Definitions of the functions: the collection of Surjanovic and Bingham (Virtual Library of Simulation Experiments).
#include "search/problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "search/makers.hpp"
#include "util/json.hpp"

namespace dlrun::bench {

namespace {

using space::Choice;
using space::Parameter;
using std::numbers::pi;

// ---- functions of real numbers, least value 0 at `optimum` ----

double branin(const Point& x) {
  const double bend = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
  return squared(bend) + 10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) + 10 - 5 / (4 * pi);
}

double hartmann6(const Point& x) {
  static constexpr std::array<double, 4> kAlpha = {1.0, 1.2, 3.0, 3.2};
  static constexpr double kA[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static constexpr double kP[4][6] = {{1312, 1696, 5569, 124, 8283, 5886},
                                      {2329, 4135, 8307, 3736, 1004, 9991},
                                      {2348, 1451, 3522, 2883, 3047, 6650},
                                      {4047, 8828, 8732, 5743, 1091, 381}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double distance = 0;
    for (int j = 0; j < 6; ++j) distance += kA[i][j] * squared(x[j] - 1e-4 * kP[i][j]);
    sum += kAlpha[i] * std::exp(-distance);
  }
  return std::max(3.322368011415515 - sum, 0.0);
}

double ackley(const Point& x) {
  double squares = 0;
  double waves = 0;
  for (const double v : x) {
    squares += v * v / static_cast<double>(x.size());
    waves += std::cos(2 * pi * v) / static_cast<double>(x.size());
  }
  return std::max(-20 * std::exp(-0.2 * std::sqrt(squares)) - std::exp(waves) + 20 + std::numbers::e, 0.0);
}

double rosenbrock(const Point& x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sum += 100 * squared(x[i + 1] - x[i] * x[i]) + squared(1 - x[i]);
  return sum;
}

double levy(const Point& x) {
  const auto w = [&](std::size_t i) { return 1 + (x[i] - 1) / 4; };
  const std::size_t last = x.size() - 1;
  double sum = squared(std::sin(pi * w(0)));
  for (std::size_t i = 0; i < last; ++i) sum += squared(w(i) - 1) * (1 + 10 * squared(std::sin(pi * w(i) + 1)));
  return sum + squared(w(last) - 1) * (1 + squared(std::sin(2 * pi * w(last))));
}

double rastrigin(const Point& x) {
  double sum = 0;
  for (const double v : x) sum += v * v - 10 * std::cos(2 * pi * v) + 10;
  return sum;
}

double styblinski_tang(const Point& x) {
  double sum = 0;
  for (const double v : x) sum += (v * v * v * v - 16 * v * v + 5 * v) / 2 + 39.16616570377142;
  return std::max(sum, 0.0);
}

struct Function {
  const char* name;
  int dimensions;
  double low, high, optimum;
  double (*value)(const Point&);
};

constexpr std::array<Function, 5> kFunctions = {{{"ackley5", 5, -32.768, 32.768, 0, ackley},
                                                 {"rosenbrock5", 5, -5, 10, 1, rosenbrock},
                                                 {"levy10", 10, -10, 10, 1, levy},
                                                 {"rastrigin5", 5, -5.12, 5.12, 0, rastrigin},
                                                 {"styblinski5", 5, -5, 5, -2.903534027771177, styblinski_tang}}};

// ---- mixed and conditional ----

/// A small net's error: the best rate depends on the optimiser and the width, depth and width share one optimum.
Problem net(RandomStream& random) {
  const double rate = -4 + 2 * random.uniform();
  const double width = std::log2(24) + 3 * random.uniform();
  const double drop = 0.1 + 0.4 * random.uniform();
  const auto acts = permutation(4, random);
  const auto opts = permutation(3, random);
  const auto regret = [=](const Point& x) {
    const double size = std::log2(x[1]) - width;
    const double step = std::log10(x[0]) - (rate - 0.3 * opts[static_cast<int>(x[5])] - 0.2 * size);
    return 0.5 * step * step + 0.1 * size * size + 0.05 * squared(x[2] - 3) + 0.02 * size * (x[2] - 3) +
           2 * squared(x[3] - drop) + 0.15 * acts[static_cast<int>(x[4])] + 0.05 * opts[static_cast<int>(x[5])];
  };
  return {"net",
          space::Space({real("lr", 1e-6, 1, true), integer("width", 8, 1024, true), integer("depth", 1, 8),
                        real("dropout", 0, 0.9), categorical("act", 4), categorical("opt", 3)}),
          regret};
}

/// Ackley over two reals, two integers of 10 and 100 values, and six choices in no order.
Problem mixed_ackley(RandomStream& random) {
  Point best = {-8 + 16 * random.uniform(), -8 + 16 * random.uniform(), double(1 + random.below(8)),
                double(10 + random.below(80))};
  const auto order = permutation(6, random);
  const auto regret = [=](const Point& x) {
    return ackley(
        {x[0] - best[0], x[1] - best[1], x[2] - best[2], (x[3] - best[3]) / 5, double(order[static_cast<int>(x[4])])});
  };
  return {"mixed_ackley",
          space::Space({real("x", -10, 10), real("y", -10, 10), integer("few", 0, 9), integer("many", 0, 99),
                        categorical("kind", 6)}),
          regret};
}

/// A choice selects one of three functions, each with parameters of its own; the offsets say which is best.
Problem branches(RandomStream& random) {
  const auto order = permutation(3, random);
  const double a = -3 + 6 * random.uniform();
  const double b = -3 + 6 * random.uniform();
  std::vector<Parameter> parameters = {categorical("model", 3), real("scale", 1e-3, 1e3, true)};
  const auto child = [&](Parameter p, std::uint32_t model) {
    p.when = {{0, {Choice{model}}}};
    parameters.push_back(std::move(p));
  };
  child(real("x1", -5, 10), 0);
  child(real("x2", 0, 15), 0);
  for (const char* name : {"r1", "r2", "r3"}) child(real(name, -2, 2), 1);
  for (const char* name : {"l1", "l2", "l3", "l4"}) child(real(name, -5, 5), 2);
  const auto regret = [=](const Point& x) {
    const int model = static_cast<int>(x[0]);
    double value = 0.5 * squared(std::log10(x[1]) - a / 3) + 2.0 * order[model];
    if (model == 0) value += branin({x[2], x[3]}) / 5;
    if (model == 1) value += rosenbrock({x[4], x[5], x[6]}) / 20;
    if (model == 2) value += levy({x[7] - a / 2, x[8], x[9] + b / 2, x[10]});
    return value;
  };
  return {"branches", space::Space(parameters), regret};
}

}  // namespace

std::vector<std::string> problem_names() {
  std::vector<std::string> names = {"branin", "hartmann6"};
  for (const Function& f : kFunctions) names.emplace_back(f.name);
  names.insert(names.end(), {"net", "mixed_ackley", "branches"});
  return names;
}

Problem make_problem(const std::string& name, std::uint64_t seed) {
  RandomStream random(seed, {"bench", name});
  if (name == "net") return net(random);
  if (name == "mixed_ackley") return mixed_ackley(random);
  if (name == "branches") return branches(random);
  if (name == "branin") return shifted(name, {real("x1", -5, 10), real("x2", 0, 15)}, {pi, 2.275}, branin, random);
  if (name == "hartmann6") return {name, space::Space(reals(6, 0, 1)), hartmann6};
  const auto* f = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return name == f.name; });
  if (f == kFunctions.end()) return make_other_problem(name, seed);
  return shifted(name, reals(f->dimensions, f->low, f->high), Point(f->dimensions, f->optimum), f->value, random);
}

Point point_of(const space::Space& space, const space::Values& values) {
  Point point(space.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (const auto* v = std::get_if<double>(&values[i])) point[i] = *v;
    if (const auto* v = std::get_if<std::int64_t>(&values[i])) point[i] = static_cast<double>(*v);
    if (const auto* v = std::get_if<Choice>(&values[i])) point[i] = v->index;
  }
  return point;
}

}  // namespace dlrun::bench
