// SPDX-License-Identifier: Apache-2.0
// Programs as trials, as `dlrun check` says it.
#pragma once
#include <optional>
#include <string>

#include "plan/plan.hpp"

namespace dlrun::plan {

/// Whether programs wait between the pieces of their trials, how many at most and with how much memory, and the epochs
/// that they do again. nullopt: no program serves several pieces.
std::optional<std::string> program_plan(const spec::StudySpec& spec, const Work& work, const Known& known);

}  // namespace dlrun::plan
