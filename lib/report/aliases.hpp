// SPDX-License-Identifier: Apache-2.0
// Tables of a plan that stand in the report and before the run alike.
#pragma once
#include "ablation/plan.hpp"
#include "report/report.hpp"

namespace dlrun::report {

/// Effects that the same runs measure; no rows if the design is no fraction.
Table alias_table(const ablation::Plan& plan);

/// Variants that are not trained, each with the reason; or no rows.
/// @param reason  name of that column
Table not_trained_table(const ablation::Plan& plan, const std::string& reason);

}  // namespace dlrun::report
