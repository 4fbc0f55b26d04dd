// SPDX-License-Identifier: Apache-2.0
// How `ablation:` of a study's normal form asks to be judged.
#pragma once
#include "statistics/contributions.hpp"
#include "util/json.hpp"

namespace dlrun::ablation {

/// `analysis` and `stopping` of a study's normal form as the statistics take them; what is not there has the default of
/// a plain paired t test.
/// @throws Error(usage) for a name that the statistics do not know.
statistics::AnalysisOptions analysis_options(const Json& study, bool maximize);

/// Has each replicate a split of its own?
bool varies_split(const Json& study);

}  // namespace dlrun::ablation
