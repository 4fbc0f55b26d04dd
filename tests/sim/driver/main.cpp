// SPDX-License-Identifier: Apache-2.0
// sim_driver: the real driver in many simulated worlds, or in one again.
//   sim_driver --seeds 1000           seeds 0 ... 999
//   sim_driver --from 500 --seeds 10  seeds 500 ... 509
//   sim_driver --seed 17              one, with its scenario
//   sim_driver --trace 17             one, with every message and both exports
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "lives.hpp"
#include "seen_by_driver.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace dlrun::driver_sim;

struct Arguments {
  std::uint64_t first = 0, count = 100;
  bool is_verbose = false;
};

[[noreturn]] void end_with_usage() {
  fmt::print(stderr, "usage: sim_driver [--seeds N] [--from S] [--seed S] [--trace S]\n");
  std::exit(2);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const auto number = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seeds") {
      a.count = number;
    } else if (name == "--from") {
      a.first = number;
    } else if (name == "--seed") {
      a = {number, 1, true};
    } else if (name == "--trace") {
      a = {number, 1, true};
      trace = [](const std::string& line) { fmt::print("{}\n", line); };
    } else {
      end_with_usage();
    }
  }
  if (argc % 2 == 0) end_with_usage();
  return a;
}

/// A simulation in which something never happens proves nothing of it.
bool has_seen_all(Counts& counts) {
  bool is_complete = true;
  for (const char* what :
       {"amended",     "cancel",    "enqueue",     "retry",       "abandoned", "adopted", "came back with work",
        "copied",      "died",      "disk failed", "driver died", "fenced",    "forged",  "given up",
        "interrupted", "lacking",   "left",        "power lost",  "repeated",  "silent",  "stop",
        "taken over",  "transient", "played gangs"}) {
    if (counts[what] == 0) fmt::print("  nothing was {}\n", what);
    is_complete = is_complete && counts[what] > 0;
  }
  return is_complete;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  std::uint64_t failures = 0;
  Counts counts;
  for (std::uint64_t seed = a.first; seed < a.first + a.count; ++seed) {
    const dlrun::support::TempFolder folder;
    const Scenario s = scenario(seed);
    counts["played gangs"] += s.has_gangs;
    if (a.is_verbose) fmt::print("{}\n", describe(s));
    const auto faults = check(s, folder.path(), counts);
    if (faults.empty()) continue;
    ++failures;
    if (!a.is_verbose) fmt::print("{}\n", describe(s));
    for (const std::string& fault : faults) fmt::print("  {}\n", fault);
  }
  failures += a.count >= 300 && !has_seen_all(counts);
  for (const auto& [what, count] : counts) fmt::print("{} {}, ", count, what);
  fmt::print("\n{} simulated drivers' studies, {} with faults\n", a.count, failures);
  return failures == 0 ? 0 : 1;
}
