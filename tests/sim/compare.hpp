// SPDX-License-Identifier: Apache-2.0
// The logical log as text, and whether a disturbed study has the same one.
#pragma once
#include <string>
#include <vector>

#include "world.hpp"

namespace dlrun::sim {

/// Every decision with all its fields, then every trial's end and every committed result, in the order of their names:
/// no time, place or attempt.
std::vector<std::string> logical_log(const Scenario& scenario, const Run& run);

/// What is wrong with the scenario's run; empty: nothing. One line per fault.
std::vector<std::string> check(const Scenario& scenario);

}  // namespace dlrun::sim
