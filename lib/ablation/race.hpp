// SPDX-License-Identifier: Apache-2.0
// `design: race`: variants compete, and those that are shown to be worse drop out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ablation/checker.hpp"
#include "ablation/plan.hpp"
#include "statistics/race.hpp"

namespace dlrun::ablation {

/// Reports numbers with which there is no race, and keys that change nothing in one.
/// @param objective   metric that variants are judged by while they come in
/// @param contenders  the baseline among them
void check_race(const Section& section, const std::string& objective, std::size_t contenders, Faults& faults);

/// Id of the variant that a trial of a search is in a race.
std::string contender_id(std::int64_t trial);
/// Number of that trial; nullopt: the variant is none. The baseline is the trial that the section is `from`.
std::optional<std::int64_t> contender_trial(const Section& section, const std::string& variant);

/// Most runs of all variants together. REQUIRES: the plan is a race.
std::int64_t most_runs(const Plan& plan);

/// REQUIRES: the plan is a race.
statistics::RaceRules race_rules(const Plan& plan, bool maximize);

}  // namespace dlrun::ablation
