// SPDX-License-Identifier: Apache-2.0
// dlrun_sim: many simulated studies, or one again.
//   dlrun_sim --seeds 1000            seeds 0 ... 999
//   dlrun_sim --seed 17 --verbose     one, with its logical log
//   dlrun_sim --pairs 2               two studies of every sampler with every pruner there is
//   dlrun_sim --seeds 300 --ablation  ablations that look at their replicates
//   dlrun_sim --seeds 20 --arrival    order: arrival, which makes no claim: the checker must find differences
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compare.hpp"

namespace {

using namespace dlrun::sim;

struct Arguments {
  std::uint64_t first = 0, count = 100;
  std::uint64_t pairs = 0;
  bool verbose = false, arrival = false, ablation = false;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool takes_number = name == "--seeds" || name == "--seed" || name == "--pairs";
    if (takes_number && i + 1 < argc) {
      const auto number = std::strtoull(argv[++i], nullptr, 10);
      if (name == "--seeds") a.count = number;
      if (name == "--seed") a.first = number, a.count = 1;
      if (name == "--pairs") a.pairs = number;
    } else if (name == "--verbose") {
      a.verbose = true;
    } else if (name == "--arrival") {
      a.arrival = true;
    } else if (name == "--ablation") {
      a.ablation = true;
    } else {
      fmt::print(stderr, "usage: dlrun_sim [--seeds N] [--seed S] [--pairs N] [--ablation] [--verbose] [--arrival]\n");
      std::exit(2);
    }
  }
  return a;
}

/// Plays one study and prints what is wrong with it. @return is it as it should be?
bool play(const Scenario& s, bool verbose) {
  const auto faults = check(s);
  if (!faults.empty() || verbose) fmt::print("{}\n", describe(s));
  for (const auto& fault : faults) fmt::print("  {}\n", fault);
  if (!verbose) return faults.empty();
  const Run run = World(s).run();
  for (const auto& text : logical_log(s, run)) fmt::print("  {}\n", text);
  fmt::print("  {} crashes, {} deaths, {} stale results, {} copies, {} overtaken\n", run.crashes, run.deaths, run.stale,
             run.copies, run.overtaken);
  return faults.empty();
}

std::vector<Scenario> scenarios(const Arguments& a) {
  std::vector<Scenario> all;
  std::uint64_t seed = 0;
  for (const Pair& pair : a.pairs > 0 ? all_pairs() : std::vector<Pair>{}) {
    for (std::uint64_t i = 0; i < a.pairs; ++i, ++seed) {
      if (a.count > 1 || seed == a.first) all.push_back(scenario(seed, pair));
    }
  }
  for (seed = a.first; a.pairs == 0 && seed < a.first + a.count; ++seed)
    all.push_back(a.ablation ? ablation_scenario(seed) : scenario(seed));
  for (Scenario& s : all) s.rules.arrival = a.arrival;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  const auto all = scenarios(a);
  const auto failures = std::count_if(all.begin(), all.end(), [&](const Scenario& s) { return !play(s, a.verbose); });
  fmt::print("{} simulated studies, {} with faults\n", all.size(), failures);
  return failures == 0 ? 0 : 1;
}
