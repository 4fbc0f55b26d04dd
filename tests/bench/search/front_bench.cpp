// SPDX-License-Identifier: Apache-2.0
// Samplers on functions of several objectives and with constraints, one trial after another.
//   bench_front SAMPLER FIRST_SEED SEEDS [PROBLEM...]    prints "problem seed trials missing" at 100, 200 and 300
//   trials
// Missing is the hypervolume that the front of the function has and the feasible trials have not; of gramacy, with one
// objective, the distance of the best feasible value from the least one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "pareto/hypervolume.hpp"
#include "samplers/sampler.hpp"
#include "util/json.hpp"
#include "worker/functions.hpp"

using namespace dlrun;

namespace {

struct Problem {
  const char* name;
  int dimensions;
  double low, high, high2;  ///< of the coordinates; of the second where it differs
  pareto::Point reference;
  double rest;  ///< what the coordinates after the first are on the front
};

constexpr double kLeastOfGramacy = 0.59978;
constexpr int kDense = 20000;  ///< points of a true front

const std::vector<Problem> kProblems = {{"zdt1", 5, 0, 1, 1, {1.1, 1.1}, 0}, {"zdt2", 5, 0, 1, 1, {1.1, 1.1}, 0},
                                        {"zdt3", 5, 0, 1, 1, {1.1, 1.1}, 0}, {"c2_dtlz2", 5, 0, 1, 1, {1.1, 1.1}, 0.5},
                                        {"bnh", 2, 0, 5, 3, {140, 50}, -1},  {"gramacy", 2, 0, 1, 1, {}, -1}};

space::Space space_of(const Problem& problem) {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < problem.dimensions; ++i) {
    const double high = i == 1 ? problem.high2 : problem.high;
    parameters.push_back({.name = "x" + std::to_string(i + 1), .low = problem.low, .high = high});
  }
  return space::Space(parameters);
}

struct Measured {
  pareto::Point objectives;
  std::vector<double> excess;  ///< relative, as a study has it
  bool is_feasible() const {
    return std::all_of(excess.begin(), excess.end(), [](double e) { return e <= 0; });
  }
};

Measured measure(const Problem& problem, const std::vector<double>& x) {
  const std::string name = problem.name;
  const std::vector<double> all = worker::evaluate_all(worker::find_function(name), x);
  const auto objectives = static_cast<std::ptrdiff_t>(std::max<std::size_t>(problem.reference.size(), 1));
  Measured out{{all.begin(), all.begin() + objectives}, {all.begin() + objectives, all.end()}};
  if (name == "bnh") out.excess = {(all[2] - 25) / 25, (7.7 - all[3]) / 7.7};
  return out;
}

/// A point of the front by a number of [0, 1]; of bnh first along x1 = x2, then along the upper side.
std::vector<double> front_point(const Problem& problem, double t) {
  if (problem.rest < 0) return t < 0.6 ? std::vector<double>{5 * t, 5 * t} : std::vector<double>{5 * t, 3};
  std::vector<double> x(static_cast<std::size_t>(problem.dimensions), problem.rest);
  x[0] = t;
  return x;
}

double whole_volume(const Problem& problem) {
  std::vector<pareto::Point> front;
  for (int i = 0; i <= kDense; ++i) {
    const Measured m = measure(problem, front_point(problem, static_cast<double>(i) / kDense));
    if (m.is_feasible()) front.push_back(m.objectives);
  }
  return pareto::hypervolume(std::move(front), problem.reference);
}

void run(const Problem& problem, const std::string& op, std::uint64_t seed) {
  const space::Space space = space_of(problem);
  const auto sampler = samplers::make_sampler(op, space, seed);
  const double whole = problem.reference.empty() ? kLeastOfGramacy : whole_volume(problem);
  std::vector<pareto::Point> points;
  for (int i = 0; i < 300; ++i) {
    const auto values = *sampler->propose(i);
    std::vector<double> x;
    for (const auto& value : values) x.push_back(std::get<double>(value));
    const Measured m = measure(problem, x);
    if (m.is_feasible()) points.push_back(m.objectives);
    sampler->on_start(trial::TrialId(i), values);
    sampler->on_result({trial::TrialId(i),
                        values,
                        m.objectives[0],
                        1,
                        true,
                        {m.objectives.begin() + 1, m.objectives.end()},
                        m.excess});
    if ((i + 1) % 100 != 0) continue;
    double missing = std::numeric_limits<double>::infinity();
    if (!problem.reference.empty()) missing = whole - pareto::hypervolume(points, problem.reference);
    if (problem.reference.empty() && !points.empty())
      missing = (*std::min_element(points.begin(), points.end()))[0] - whole;
    fmt::print("{} {} {} {:.9g}\n", problem.name, seed, i + 1, missing);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 3) {
    fmt::print(stderr, "bench_front SAMPLER FIRST_SEED SEEDS [PROBLEM...]\n");
    return 2;
  }
  const std::uint64_t first = std::stoull(args[1]);
  for (const Problem& problem : kProblems) {
    const bool is_asked = args.size() == 3 || std::find(args.begin() + 3, args.end(), problem.name) != args.end();
    for (std::uint64_t seed = first; is_asked && seed < first + std::stoull(args[2]); ++seed) {
      run(problem, args[0], seed);
    }
  }
  return 0;
}
