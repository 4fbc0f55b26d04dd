// SPDX-License-Identifier: Apache-2.0
// dlrun_sim: many simulated studies, or one again.
//   dlrun_sim --seeds 1000            seeds 0 ... 999
//   dlrun_sim --seed 17 --verbose     one, with its logical log
//   dlrun_sim --pairs 2               two studies of every sampler with every pruner there is
//   dlrun_sim --seeds 300 --ablation  ablations that look at their replicates
//   dlrun_sim --seeds 10000 --jobs 2  two at a time
//   dlrun_sim --seeds 20 --plant left_early  a driver that makes a mistake: the checker must find differences
//   dlrun_sim --seeds 20 --arrival    order: arrival, which makes no claim: the checker must find differences
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "compare.hpp"

namespace {

using namespace dlrun::sim;

struct Arguments {
  std::uint64_t first = 0, count = 100;
  std::uint64_t pairs = 0;
  std::uint64_t jobs = 1;
  Plant plant = Plant::none;
  bool verbose = false, arrival = false, ablation = false;
};

[[noreturn]] void end_with_usage() {
  fmt::print(stderr,
             "usage: dlrun_sim [--seeds N] [--seed S] [--pairs N] [--ablation] [--jobs N] [--verbose] [--arrival]\n"
             "                 [--plant counted_early|left_early]\n");
  std::exit(2);
}

/// @return was it one that takes a value?
bool take_value(Arguments& a, const std::string& name, const std::string& value) {
  const auto number = std::strtoull(value.c_str(), nullptr, 10);
  if (name == "--seeds") a.count = number;
  if (name == "--seed") a.first = number, a.count = 1;
  if (name == "--pairs") a.pairs = number;
  if (name == "--jobs") a.jobs = std::max(1ULL, number);
  if (name == "--plant") a.plant = value == "counted_early" ? Plant::counted_early : Plant::left_early;
  const bool is_plant = name == "--plant" && (value == "counted_early" || value == "left_early");
  return is_plant || name == "--seeds" || name == "--seed" || name == "--pairs" || name == "--jobs";
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      a.verbose = true;
    } else if (name == "--arrival") {
      a.arrival = true;
    } else if (name == "--ablation") {
      a.ablation = true;
    } else if (i + 1 < argc && take_value(a, name, argv[i + 1])) {
      ++i;
    } else {
      end_with_usage();
    }
  }
  return a;
}

struct Played {
  std::string text;  ///< what is wrong with it, and what was asked for
  bool is_right = true;
};

Played play(const Scenario& s, bool verbose) {
  const auto faults = check(s);
  Played out{"", faults.empty()};
  if (!faults.empty() || verbose) out.text = describe(s) + "\n";
  for (const auto& fault : faults) out.text += fmt::format("  {}\n", fault);
  if (!verbose) return out;
  const Run run = World(s).run();
  for (const auto& text : logical_log(s, run)) out.text += fmt::format("  {}\n", text);
  out.text += fmt::format("  {} crashes, {} deaths, {} stale results, {} copies, {} overtaken, {} adopted, {} free\n",
                          run.crashes, run.deaths, run.stale, run.copies, run.overtaken, run.adopted, run.free);
  return out;
}

/// Several at a time; printed in their order. @return how many have faults
std::size_t play_all(const std::vector<Scenario>& all, const Arguments& a) {
  std::vector<Played> played(all.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < all.size();) played[i] = play(all[i], a.verbose);
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < a.jobs; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  for (const Played& one : played) fmt::print("{}", one.text);
  return std::size_t(std::count_if(played.begin(), played.end(), [](const Played& one) { return !one.is_right; }));
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
  for (Scenario& s : all) {
    s.rules.arrival = a.arrival;
    s.plant = a.plant;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  const auto all = scenarios(a);
  const std::size_t failures = play_all(all, a);
  fmt::print("{} simulated studies, {} with faults\n", all.size(), failures);
  return failures == 0 ? 0 : 1;
}
