// SPDX-License-Identifier: Apache-2.0
// Checks of a component's keys `as`, `how`, `to`, `on_shape`, …, each of which is for some kinds of component only; and
// settings that no component may have.
#pragma once
#include <string>
#include <vector>

#include "ablation/units.hpp"

namespace dlrun::ablation {

/// A key that is written where it says nothing is a fault.
void check_component_keys(const Unit& unit, Faults& faults);

/// Metric that variants are compared by if the ablation names none: the study's first objective.
std::string objective_metric(const Json& study);
/// "maximize" or "minimize" of the study's objective of that metric; empty where none is.
std::string objective_direction(const Json& study, const std::string& metric);

/// All variants are trials of the baseline's kind. @param kind  a text
void check_kinds(const std::vector<Unit>& units, const Json& kind, Faults& faults);

/// A variant of another loss cannot be judged by it: E240. @param metric  of the comparison  @param trial  the
/// baseline's
void check_loss(const std::vector<Unit>& units, const std::string& metric, const Json& trial, Faults& faults);

}  // namespace dlrun::ablation
