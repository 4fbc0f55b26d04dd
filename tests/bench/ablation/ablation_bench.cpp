// SPDX-License-Identifier: Apache-2.0
// What tests/bench/run ablation prints: verdicts of simulated studies beside what is true, as "name value expected",
// and the wall time of a study of 20 variants on simulated workers, as a share of the bound (wall.hpp).
//   bench_ablation truth | looks
//   bench_ablation wall WORKERS SEEDS         ten replicates
//   bench_ablation wall-looks WORKERS SEEDS   looks at 4, 6, .., 12 replicates
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ablation/wall.hpp"
#include "statistics/power.hpp"
#include "truth.hpp"

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

void print(const bench::Wall& wall) { fmt::print("{:.6g} {:.6g} {:.6g}\n", wall.share, wall.as_decided, wall.known); }

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 1 && args[0] == "truth") return truth(), 0;
  if (args.size() == 1 && args[0] == "looks") return looks(), 0;
  if (args.size() == 3 && args[0] == "wall") return print(bench::wall(std::stoi(args[1]), std::stoi(args[2]))), 0;
  if (args.size() == 3 && args[0] == "wall-looks")
    return print(bench::wall_with_looks(std::stoi(args[1]), std::stoi(args[2]))), 0;
  fmt::print(stderr, "bench_ablation truth | looks | wall WORKERS SEEDS | wall-looks WORKERS SEEDS\n");
  return 2;
}
