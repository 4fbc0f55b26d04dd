// SPDX-License-Identifier: Apache-2.0
// The race for the start of a final training (`policy: race`).
#pragma once
#include <optional>

#include "arguments.hpp"
#include "final/warm_race.hpp"
#include "output/console.hpp"
#include "training_after.hpp"

namespace dlrun::cli {

struct WarmRaceEnd {
  int status = 0;             ///< as run_study()
  std::optional<Json> final;  ///< with the decision; nullopt: nothing is to be trained now
};

/// Says what the race would cost, checks what it and the final training of each arm would be refused for, and runs it.
/// Once it is over, the same call decides by what the store has. --plan stops before it runs.
/// @throws Error(usage) for --output before the race is over
WarmRaceEnd race_warm_starts(const FinalOrder& order, const Arguments& arguments, Console& console);

/// Is the plan the answer? Beside `-o -` the study is.
bool is_plan_asked(const Arguments& arguments);

/// `final` with the decision of the race, which is told. nullopt: the race is not over, which is told too.
std::optional<Json> decision_of(const std::string& race, const Json& final, const Arguments& arguments,
                                Console& console);

}  // namespace dlrun::cli
