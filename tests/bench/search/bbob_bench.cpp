// SPDX-License-Identifier: Apache-2.0
// Samplers on BBOB's functions, one trial after another.
//   bench_bbob SAMPLER DIMENSIONS FIRST_INSTANCE INSTANCES SEEDS TRIALS   prints "function instance trials regret" at
//     50, 100 and 200 trials, or as many of these as TRIALS reaches, for each seed
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "samplers/sampler.hpp"
#include "util/json.hpp"
#include "worker/bbob/bbob.hpp"

using namespace dlrun;

namespace {

space::Space domain(int dimensions) {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < dimensions; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .type = space::Type::real, .low = -5, .high = 5});
  return space::Space(parameters);
}

std::vector<double> point_of(const space::Values& values) {
  std::vector<double> point;
  for (const space::Value& value : values) point.push_back(std::get<double>(value));
  return point;
}

void print_regret(const std::string& op, const space::Space& space, int id, int instance, int seed, int trials) {
  const auto sampler = samplers::make_sampler(op, space, std::uint64_t(1000 * instance + seed));
  const double least = worker::bbob::least_value(id, instance);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < trials; ++i) {
    const auto values = sampler->propose(i);
    const double value = worker::bbob::value(id, instance, point_of(*values));
    best = std::min(best, value - least);
    sampler->on_start(trial::TrialId(i), *values);
    sampler->on_result({trial::TrialId(i), *values, value, 1});
    if (i + 1 == 50 || i + 1 == 100 || i + 1 == 200) fmt::print("{} {} {} {:.9g}\n", id, instance, i + 1, best);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() != 6) {
    fmt::print(stderr, "bench_bbob SAMPLER DIMENSIONS FIRST_INSTANCE INSTANCES SEEDS TRIALS\n");
    return 2;
  }
  const space::Space space = domain(std::stoi(args[1]));
  const int first = std::stoi(args[2]), last = first + std::stoi(args[3]);
  for (int id = 1; id <= worker::bbob::kFunctions; ++id) {
    for (int instance = first; instance < last; ++instance) {
      for (int seed = 0; seed < std::stoi(args[4]); ++seed)
        print_regret(args[0], space, id, instance, seed, std::stoi(args[5]));
    }
  }
  return 0;
}
