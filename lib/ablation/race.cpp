// SPDX-License-Identifier: Apache-2.0
#include "ablation/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dlrun::ablation {

namespace {

constexpr int kLeastReplicates = 2;
constexpr const char *kBudget = "ablation.race.budget", *kOfTrial = "trial-";

/// nullopt: the text is no number of a trial.
std::optional<std::int64_t> number_of(const std::string& digits) {
  std::int64_t number = -1;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = fault == std::errc() && end == digits.data() + digits.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

void check_replicates(const Section& section, Faults& faults) {
  if (faults.is_bad("ablation.replicates") || section.replicates.n >= kLeastReplicates) return;
  faults.at(faults.was_written("ablation.replicates.seeds") ? "ablation.replicates.seeds" : "ablation.replicates.n",
            "a race needs two replicates: one cannot tell the better variant from the luckier", "n: 5");
}

void check_budget(const Section& section, int contenders, Faults& faults) {
  if (!section.race.budget || faults.is_bad("ablation.replicates")) return;
  const int least = kLeastReplicates * contenders, most = section.replicates.n * contenders;
  if (*section.race.budget < least)
    faults.at(kBudget, fmt::format("{} variants run twice are {} runs", contenders, least),
              fmt::format("budget: {}", least));
  if (*section.race.budget >= most && most >= least)
    faults.at(kBudget,
              fmt::format("it changes nothing: {} variants x {} replicates are {} runs", contenders,
                          section.replicates.n, most),
              "remove it, or write more replicates");
}

/// Keys that are of other designs.
void check_keys(const Section& section, const std::string& objective, Faults& faults) {
  if (section.analysis.metric != objective && !faults.is_bad("ablation.analysis"))
    faults.at("ablation.analysis.metric",
              fmt::format("a race judges by the objective, which is {}", document::quote(objective)),
              "make it the study's objective");
  for (const char* key : {"ablation.analysis.test", "ablation.analysis.correction", "ablation.analysis.rope",
                          "ablation.retune", "ablation.start_from"}) {
    if (faults.was_written(key)) faults.at_key(key, "it says nothing of design race", "remove it");
  }
}

}  // namespace

void check_race(const Section& section, const std::string& objective, std::size_t contenders, Faults& faults) {
  check_replicates(section, faults);
  check_budget(section, int(contenders), faults);
  check_keys(section, objective, faults);
}

std::string contender_id(std::int64_t trial) { return fmt::format("{}{}", kOfTrial, trial); }

std::optional<std::int64_t> contender_trial(const Section& section, const std::string& variant) {
  const std::string from = section.from.value_or(""), of_trial = kOfTrial;
  if (variant == "baseline") return number_of(from.substr(from.rfind('/') + 1));
  return variant.starts_with(of_trial) ? number_of(variant.substr(of_trial.size())) : std::nullopt;
}

std::int64_t most_runs(const Plan& plan) {
  const std::int64_t all = std::int64_t(plan.variants.size()) * plan.section.replicates.n;
  return std::min<std::int64_t>(all, plan.section.race.budget.value_or(all));
}

statistics::RaceRules race_rules(const Plan& plan, bool maximize) {
  return statistics::race_rules(plan.section.replicates.n, plan.section.race.budget, int(plan.variants.size()),
                                plan.section.analysis.alpha, maximize);
}

}  // namespace dlrun::ablation
