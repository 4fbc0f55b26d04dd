// SPDX-License-Identifier: Apache-2.0
// What tests/bench/run ablation prints: verdicts of simulated studies beside what is true, as "name value expected",
// and the wall time of a study of 20 variants and 10 seeds on simulated workers, as a share of the bound.
//   bench_ablation truth | looks
//   bench_ablation wall WORKERS SEEDS   and what the longest first would take, whatever their replicates
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "statistics/power.hpp"
#include "truth.hpp"
#include "util/json.hpp"
#include "world.hpp"

using namespace dlrun;

namespace {

void print(const std::string& name, double value, double expected) {
  fmt::print("{} {:.6g} {:.6g}\n", name, value, expected);
}

void truth() {
  print("false_positives", sim::simulate({}).false_positive, 0.05);
  print("null_false_positives", sim::simulate({.informative = 0, .redundant = 0, .noise = 10}).false_positive, 0.05);
  for (const int n : {5, 8, 10, 15}) {
    const double size = statistics::paired_size(1, 0.5);
    print(fmt::format("power.{}", n), sim::simulate({.replicates = n}).below_alpha,
          statistics::paired_t_power(size, n, 0.05));
  }
  const sim::Truth noise = sim::simulate({.replicates = 12, .informative = 0, .rope = 1});
  print("negligible.12", noise.negligible, statistics::equivalence_power(1, 12, 0.05));
  print("coverage", sim::simulate({}).covered, 0.95);
}

void looks() {
  const std::vector<int> at = {4, 6, 8, 10, 12};
  const std::pair<const char*, statistics::Boundary> boundaries[] = {{"obf", statistics::Boundary::obrien_fleming},
                                                                     {"pocock", statistics::Boundary::pocock}};
  for (const auto& [name, boundary] : boundaries) {
    print(fmt::format("looks.{}.error", name), sim::simulate_looks({.looks = {at, boundary}}).called, 0.05);
    print(fmt::format("looks.{}.report_error", name),
          sim::simulate_looks({.family = 6, .reports = true, .looks = {at, boundary}}).reported, 0.05);
    const auto found = sim::simulate_looks({.effect = 2, .looks = {at, boundary}});
    print(fmt::format("looks.{}.seeds", name), found.replicates, 12);
  }
}

constexpr int kVariants = 20, kReplicates = 10;
constexpr study::Tick kBase = 100'000;

/// The baseline costs 1, variants down to 0.6 of it.
study::Tick cost(const space::Values& values) {
  const auto variant = std::get<space::Choice>(values[1]).index;
  return study::Tick(double(kBase) * (1 - 0.02 * double(variant)));
}

double share_of_bound(int workers, std::uint64_t seed) {
  sim::Scenario s;
  s.seed = seed;
  space::Parameter replicate{.name = "replicate", .type = space::Type::integer, .low = 1, .high = kReplicates};
  space::Parameter variant{.name = "variant", .type = space::Type::categorical};
  for (int v = 0; v <= kVariants; ++v) variant.choices.push_back("v" + std::to_string(v));
  s.space = space::Space({replicate, variant});
  s.sampler = "grid";
  s.workers = workers;
  s.rules.seed = seed;
  s.rules.lanes = (kVariants + 1) * kReplicates;  // as the spec gives an ablation
  s.rules.objective.metric = "error";
  s.rules.cost = [](const space::Values& values, std::int64_t, std::int64_t) { return cost(values); };
  s.faults.noise = 0.05;
  const sim::Run run = sim::World(s).run();
  double total = 0, longest = 0;
  for (const sim::Stint& stint : run.stints) {
    total += stint.seconds;
    longest = std::max(longest, stint.seconds);
  }
  return std::max(total / workers, longest) / run.makespan;
}

double wall(int workers, int seeds) {
  double sum = 0;
  for (int seed = 0; seed < seeds; ++seed) sum += share_of_bound(workers, std::uint64_t(seed));
  return sum / seeds;
}

/// The same for runs handed out longest first, of all replicates together: no prefix of that is a balanced design, but
/// without knowing how long runs will really take it is hard to do better (Graham 1969).
double longest_first(int workers) {
  std::vector<double> busy(std::size_t(workers), 0.0);
  double total = 0;
  for (int variant = 0; variant <= kVariants; ++variant) {
    for (int r = 0; r < kReplicates; ++r) {
      const double length = 1 - 0.02 * variant;
      *std::min_element(busy.begin(), busy.end()) += length;
      total += length;
    }
  }
  return std::max(total / workers, 1.0) / *std::max_element(busy.begin(), busy.end());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 1 && args[0] == "truth") return truth(), 0;
  if (args.size() == 1 && args[0] == "looks") return looks(), 0;
  if (args.size() == 3 && args[0] == "wall") {
    fmt::print("{:.6g} {:.6g}\n", wall(std::stoi(args[1]), std::stoi(args[2])), longest_first(std::stoi(args[1])));
    return 0;
  }
  fmt::print(stderr, "bench_ablation truth | looks | wall WORKERS SEEDS\n");
  return 2;
}
