// SPDX-License-Identifier: Apache-2.0
// How `ablation:` of a study's normal form asks to be judged.
#pragma once
#include <string>

#include "statistics/contributions.hpp"
#include "util/json.hpp"

namespace dlrun::ablation {

/// `analysis` and `stopping` as the statistics take them; what is not there has the default of a plain paired t test.
/// @param kind  of the trial: train | command | function
/// @throws Error(usage) for a name that the statistics do not know.
statistics::AnalysisOptions analysis_options(const Json& section, const std::string& kind, bool maximize);

}  // namespace dlrun::ablation
