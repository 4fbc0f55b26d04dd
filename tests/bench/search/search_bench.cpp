// SPDX-License-Identifier: Apache-2.0
// Samplers on functions, one trial after another, without study, driver or worker.
//   bench_search regret SAMPLER FIRST_SEED SEEDS    prints "problem seed trials regret" at 50, 100 and 200 trials
//   bench_search cost SAMPLER TRIALS [mixed]        prints processor milliseconds of a proposal and its result
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "samplers/sampler.hpp"
#include "search/problems.hpp"
#include "util/json.hpp"

using namespace dlrun;
using namespace dlrun::bench;

namespace {

void tell(samplers::Sampler& sampler, int i, const space::Values& values, double objective) {
  sampler.on_start(trial::TrialId(i), values);
  sampler.on_result({trial::TrialId(i), values, objective, 1});
}

void print_regret(const std::string& name, const std::string& op, std::uint64_t seed) {
  const Problem problem = make_problem(name, seed);
  const auto sampler = samplers::make_sampler(op, problem.space, seed);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const auto values = sampler->propose(i);
    const double regret = problem.regret(point_of(problem.space, *values));
    best = std::min(best, regret);
    tell(*sampler, i, *values, regret);
    if (i + 1 == 50 || i + 1 == 100 || i + 1 == 200) fmt::print("{} {} {} {:.9g}\n", name, seed, i + 1, best);
  }
}

space::Space cost_space(bool is_mixed) {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < 10; ++i) {
    space::Parameter p{.name = "x" + std::to_string(i)};
    if (is_mixed && i % 3 == 1) p = {.name = p.name, .type = space::Type::integer, .low = 1, .high = 100};
    if (is_mixed && i % 3 == 2) p = {.name = p.name, .type = space::Type::categorical, .choices = {1, 2, 3, 4, 5}};
    parameters.push_back(p);
  }
  return space::Space(parameters);
}

/// A history of random points first, which is as dear and much quicker than a search; then asks that are timed.
double cost(const std::string& op, int trials, bool is_mixed) {
  const space::Space space = cost_space(is_mixed);
  const auto sampler = samplers::make_sampler(op, space, 1);
  const auto history = samplers::make_sampler("random", space, 2);
  const auto objective = [&](const space::Values& values) {
    double sum = 0;
    for (const double x : point_of(space, values)) sum += (x - 0.3) * (x - 0.3);
    return sum;
  };
  constexpr int kTimed = 50;
  for (int i = 0; i < trials - kTimed; ++i) {
    const auto values = *history->propose(i);
    tell(*sampler, i, values, objective(values));
  }
  const std::clock_t start = std::clock();  // of the processor: other programs do not count
  for (int i = trials - kTimed; i < trials; ++i) {
    const auto values = *sampler->propose(i);
    tell(*sampler, i, values, objective(values));
  }
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kTimed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 4 && args[0] == "regret") {
    const std::uint64_t first = std::stoull(args[2]);
    for (const std::string& name : problem_names()) {
      for (std::uint64_t seed = first; seed < first + std::stoull(args[3]); ++seed) print_regret(name, args[1], seed);
    }
    return 0;
  }
  if (args.size() >= 3 && args[0] == "cost") {
    fmt::print("{:.5f}\n", cost(args[1], std::stoi(args[2]), args.size() > 3));
    return 0;
  }
  fmt::print(stderr, "bench_search regret SAMPLER FIRST_SEED SEEDS | cost SAMPLER TRIALS [mixed]\n");
  return 2;
}
