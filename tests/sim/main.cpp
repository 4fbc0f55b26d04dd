// SPDX-License-Identifier: Apache-2.0
// dlrun_sim: many simulated studies, or one again.
//   dlrun_sim --seeds 1000            seeds 0 ... 999
//   dlrun_sim --seed 17 --verbose     one, with its logical log
//   dlrun_sim --seeds 20 --arrival    order: arrival, which makes no claim: the checker must find differences
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "compare.hpp"

namespace {

using namespace dlrun::sim;

struct Arguments {
  std::uint64_t first = 0, count = 100;
  bool verbose = false, arrival = false;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool takes_number = name == "--seeds" || name == "--seed";
    if (takes_number && i + 1 < argc) {
      const auto number = std::strtoull(argv[++i], nullptr, 10);
      name == "--seeds" ? (a.count = number) : (a.first = number, a.count = 1);
    } else if (name == "--verbose") {
      a.verbose = true;
    } else if (name == "--arrival") {
      a.arrival = true;
    } else {
      fmt::print(stderr, "usage: dlrun_sim [--seeds N] [--seed S] [--verbose] [--arrival]\n");
      std::exit(2);
    }
  }
  return a;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  int failures = 0;
  for (std::uint64_t seed = a.first; seed < a.first + a.count; ++seed) {
    Scenario s = scenario(seed);
    s.rules.arrival = a.arrival;
    const auto faults = check(s);
    if (!faults.empty() || a.verbose) fmt::print("{}\n", describe(s));
    for (const auto& fault : faults) fmt::print("  {}\n", fault);
    failures += !faults.empty();
    if (!a.verbose) continue;
    const Run run = World(s).run();
    for (const auto& text : logical_log(s, run)) fmt::print("  {}\n", text);
    fmt::print("  {} crashes, {} deaths, {} stale results\n", run.crashes, run.deaths, run.stale);
  }
  fmt::print("{} simulated studies, {} with faults\n", a.count, failures);
  return failures == 0 ? 0 : 1;
}
