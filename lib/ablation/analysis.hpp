// SPDX-License-Identifier: Apache-2.0
// Statistics that the plan of an ablation asks for.
#pragma once
#include "ablation/plan.hpp"
#include "ablation/power.hpp"
#include "statistics/contributions.hpp"

namespace dlrun::ablation {

/// The analysis and the looks of a plan as the statistics take them.
/// @param study  normal form, for its kind and the sizes of its splits
/// @throws Error(usage) for a name that the statistics do not know.
statistics::AnalysisOptions analysis_options(const Plan& plan, const Json& study, bool maximize);

/// The plan as a question of power. @param comparisons  judged together
Design design_of(const Section& section, std::size_t comparisons);

}  // namespace dlrun::ablation
