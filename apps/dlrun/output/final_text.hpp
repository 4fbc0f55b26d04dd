// SPDX-License-Identifier: Apache-2.0
// The plan of a final training in words.
#pragma once
#include <string>
#include <vector>

#include "final/final_run.hpp"
#include "final/warm_race.hpp"
#include "output/console.hpp"

namespace dlrun::cli {

/// The steps of a final training and their reasons, a line each.
std::vector<std::string> final_text(const final::FinalPlan& plan);

/// The arms of a race for a final training's start, why each is one, and what the race costs.
std::vector<std::string> race_text(const final::WarmRace& race);

/// Prints the lines of a plan.
/// @param is_answer  to standard output, because they were asked for; else as remarks
void print_plan(const std::vector<std::string>& lines, bool is_answer, Console& console);

}  // namespace dlrun::cli
