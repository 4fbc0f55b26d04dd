// SPDX-License-Identifier: Apache-2.0
// Decisions of undisturbed studies against tests/golden/study: every pruner's verdicts with their reasons, ablations
// with looks, rounds and tuned variants, amended studies. DLRUN_APPROVE=1 writes the files anew.
#include <fmt/format.h>

#include "compare.hpp"
#include "pruners/pruner.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

namespace study_golden_test {

using namespace dlrun;
using namespace dlrun::sim;

namespace {

std::string log_of(const Scenario& drawn) {
  const Scenario s = undisturbed(drawn);
  const Run run = World(s).run();
  std::string text = describe(s) + "\n";
  for (const std::string& fault : run.faults) text += "fault: " + fault + "\n";
  for (const std::string& line : logical_log(s, run)) text += "  " + line + "\n";
  return text;
}

/// Few trials, a page or two; with an odd seed one member to each.
Scenario short_scenario(std::uint64_t seed, const Pair& pair) {
  Scenario s = scenario(seed, pair);
  if (seed % 2 == 1) s.rules.members = {};
  s.rules.limits.trials = std::min<std::int64_t>(s.rules.limits.trials.value_or(14), 14);
  s.amendment = {};
  return s;
}

/// Two studies: the first in which a trial is pruned, where it ever is.
std::string logs_of(const Pair& pair) {
  std::vector<std::string> pruned, other;
  for (std::uint64_t seed = 1; seed <= 40 && pruned.size() < 2; ++seed) {
    const std::string text = log_of(short_scenario(seed, pair));
    (text.find(" prune ") == std::string::npos ? other : pruned).push_back(text);
  }
  pruned.insert(pruned.end(), other.begin(), other.end());
  return pruned.at(0) + pruned.at(1);
}

void check(const std::string& name, const std::string& text) {
  CHECK(text == support::golden(DLRUN_SOURCE_DIR "/tests/golden/study/" + name + ".txt", text));
}

}  // namespace

TEST_CASE("every pruner judges as it did", "[study][golden]") {
  std::vector<Pair> pairs{{"random", "asha", true}};
  for (const std::string& pruner : pruners::pruner_names()) pairs.push_back({"random", pruner, false});
  for (const Pair& pair : pairs) check((pair.stops ? "stopping-" : "") + pair.pruner, logs_of(pair));
}

TEST_CASE("ablations decide as they did", "[study][golden]") {
  std::string text;
  for (std::uint64_t seed = 0; seed < 8; ++seed) text += log_of(ablation_scenario(seed));
  check("ablations", text);
}

TEST_CASE("drawn studies decide as they did, amended ones among them", "[study][golden]") {
  std::string text;
  int amended = 0;
  for (std::uint64_t seed = 0; amended < 4; ++seed) {
    const Scenario s = scenario(seed);
    if (s.sampler == "gp" || s.sampler == "auto" || s.sampler == "cma_es") continue;  // rounding of a library's
    if (!s.amendment && seed > 6) continue;
    amended += s.amendment ? 1 : 0;
    text += log_of(s);
  }
  check("drawn", text);
}

}  // namespace study_golden_test
