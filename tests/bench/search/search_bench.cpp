// SPDX-License-Identifier: Apache-2.0
// Samplers on functions, one trial after another, without study, driver or worker.
//   bench_search regret SAMPLER FIRST_SEED SEEDS TRIALS   prints "problem seed trials regret" at 50, 100 and 200
//   trials,
//     or as many of these as TRIALS reaches
//   bench_search transfer SAMPLER EARLIER FIRST_SEED SEEDS   prints "problem seed trials regret" at 10, 20 and 50
//     trials; EARLIER is none, shifted (by a tenth of each side) or misleading (mirrored): what 50 trials of the
//     sampler on such a function teach
//   bench_search cost SAMPLER TRIALS DIMENSIONS [mixed]   prints processor milliseconds of a proposal and its result:
//   the
//     mean of the last 50, and the dearest
//   bench_search whole SAMPLER TRIALS DIMENSIONS   the mean of a whole search
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <numeric>

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

void print_regret(const std::string& name, const std::string& op, std::uint64_t seed, int trials) {
  const Problem problem = make_problem(name, seed);
  const auto sampler = samplers::make_sampler(op, problem.space, seed);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < trials; ++i) {
    const auto values = sampler->propose(i);
    const double regret = problem.regret(point_of(problem.space, *values));
    best = std::min(best, regret);
    tell(*sampler, i, *values, regret);
    if (i + 1 == 50 || i + 1 == 100 || i + 1 == 200) fmt::print("{} {} {} {:.9g}\n", name, seed, i + 1, best);
  }
}

/// A point of the earlier study's function, where this one's is: numbers moved by a tenth of their side or mirrored.
space::Values moved(const space::Space& space, space::Values values, const std::string& how, std::uint64_t seed) {
  RandomStream random(seed, {"bench", "earlier"});
  for (std::size_t i = 0; i < space.size(); ++i) {
    const double step = random.below(2) == 0 ? 0.1 : -0.1;
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    const double unit = space.to_unit(i, values[i]);
    if (how == "misleading") values[i] = space.from_unit(i, std::min(1 - unit, 1 - 1e-9));
    const bool is_number = !std::holds_alternative<space::Choice>(values[i]);
    if (how == "shifted" && is_number) values[i] = space.from_unit(i, std::clamp(unit + step, 0.0, 1 - 1e-9));
  }
  return values;
}

std::vector<samplers::Observation> earlier_trials(const Problem& problem, const std::string& op, const std::string& how,
                                                  std::uint64_t seed) {
  std::vector<samplers::Observation> trials;
  const auto sampler = samplers::make_sampler(op, problem.space, seed + 1000);
  for (int i = 0; i < 50; ++i) {
    const auto values = *sampler->propose(i);
    const space::Values there = moved(problem.space, values, how, seed);
    // A branch of another model has other parameters: such points keep theirs.
    const double value = problem.regret(point_of(problem.space, problem.space.contains(there) ? there : values));
    tell(*sampler, i, values, value);
    trials.push_back({trial::TrialId(i), values, value, 1});
  }
  return trials;
}

void print_transfer(const std::string& name, const std::string& op, const std::string& how, std::uint64_t seed) {
  const Problem problem = make_problem(name, seed);
  const auto sampler = samplers::make_sampler(op, problem.space, seed);
  if (how != "none") sampler->learn(earlier_trials(problem, op, how, seed));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) {
    const auto values = sampler->propose(i);
    const double regret = problem.regret(point_of(problem.space, *values));
    best = std::min(best, regret);
    tell(*sampler, i, *values, regret);
    if (i + 1 == 10 || i + 1 == 20 || i + 1 == 50) fmt::print("{} {} {} {:.9g}\n", name, seed, i + 1, best);
  }
}

space::Space cost_space(int dimensions, bool is_mixed) {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < dimensions; ++i) {
    space::Parameter p{.name = "x" + std::to_string(i)};
    if (is_mixed && i % 3 == 1) p = {.name = p.name, .type = space::Type::integer, .low = 1, .high = 100};
    if (is_mixed && i % 3 == 2) p = {.name = p.name, .type = space::Type::categorical, .choices = {1, 2, 3, 4, 5}};
    parameters.push_back(p);
  }
  return space::Space(parameters);
}

double objective(const space::Space& space, const space::Values& values) {
  double sum = 0;
  for (const double x : point_of(space, values)) sum += (x - 0.3) * (x - 0.3);
  return sum;
}

/// Of the processor: other programs do not count.
double milliseconds_since(std::clock_t start) {
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Milliseconds of each of these proposals with its result.
std::vector<double> timed(samplers::Sampler& sampler, const space::Space& space, int first, int last) {
  std::vector<double> out;
  for (int i = first; i < last; ++i) {
    const std::clock_t start = std::clock();
    const auto values = *sampler.propose(i);
    tell(sampler, i, values, objective(space, values));
    out.push_back(milliseconds_since(start));
  }
  return out;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// A history of random points first, which is as dear and much quicker than a search; then proposals that are timed.
void print_cost(const std::string& op, int trials, const space::Space& space) {
  const auto sampler = samplers::make_sampler(op, space, 1);
  const auto history = samplers::make_sampler("random", space, 2);
  const int first = std::max(trials - 50, 0);
  for (int i = 0; i < first; ++i) {
    const auto values = *history->propose(i);
    tell(*sampler, i, values, objective(space, values));
  }
  const std::vector<double> each = timed(*sampler, space, first, trials);
  fmt::print("{:.5f} {:.5f}\n", mean(each), *std::max_element(each.begin(), each.end()));
}

void print_whole(const std::string& op, int trials, const space::Space& space) {
  const auto sampler = samplers::make_sampler(op, space, 1);
  fmt::print("{:.5f}\n", mean(timed(*sampler, space, 0, trials)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 5 && args[0] == "regret") {
    const std::uint64_t first = std::stoull(args[2]);
    for (const std::string& name : problem_names()) {
      for (std::uint64_t seed = first; seed < first + std::stoull(args[3]); ++seed) {
        print_regret(name, args[1], seed, std::stoi(args[4]));
      }
    }
    return 0;
  }
  if (args.size() == 5 && args[0] == "transfer") {
    const std::uint64_t first = std::stoull(args[3]);
    for (const std::string& name : problem_names()) {
      for (std::uint64_t seed = first; seed < first + std::stoull(args[4]); ++seed)
        print_transfer(name, args[1], args[2], seed);
    }
    return 0;
  }
  if (args.size() >= 4 && (args[0] == "cost" || args[0] == "whole")) {
    const space::Space space = cost_space(std::stoi(args[3]), args.size() > 4);
    (args[0] == "cost" ? print_cost : print_whole)(args[1], std::stoi(args[2]), space);
    return 0;
  }
  fmt::print(stderr,
             "bench_search regret SAMPLER FIRST_SEED SEEDS TRIALS | transfer SAMPLER EARLIER FIRST_SEED SEEDS | cost "
             "SAMPLER TRIALS DIMENSIONS [mixed] | whole SAMPLER TRIALS DIMENSIONS\n");
  return 2;
}
