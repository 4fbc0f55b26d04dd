// SPDX-License-Identifier: Apache-2.0
// Keys of a component that say something of some kinds of component only: `as`, `how`, `to`, `on_shape`, …; and what a
// component may not set.
#pragma once
#include <string>
#include <vector>

#include "spec/ablation_components.hpp"

namespace dlrun::spec {

/// A key that is written where it says nothing is a fault.
void check_component_keys(const Unit& unit, Faults& faults);

/// What variants are compared by where the ablation says nothing else: the study's first objective.
std::string objective_metric(const Json& study);

/// A variant of another loss cannot be judged by it: E240. @param metric  what variants are compared by
void check_loss(const std::vector<Unit>& units, const std::string& metric, Faults& faults);

}  // namespace dlrun::spec
