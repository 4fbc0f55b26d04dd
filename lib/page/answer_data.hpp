// SPDX-License-Identifier: Apache-2.0
// Results of a study, as numbers for the plots of a page.
#pragma once
#include <vector>

#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {method, remark, names, shares, lows, highs}: parameters and pairs of them, the largest share first.
/// @param tables  of report::Reader::importance
/// null: the tables rank nothing
Json importance_json(const std::vector<report::Table>& tables);

/// Numbers of the trials on the Pareto front; null for one objective.
Json front_json(const report::OpenedStudy& study);

/// {metric, rows: [{component, mean, low, high, group, verdict}], names, interactions: [{row, column, value, marked}]}.
/// Rows of a race are the contenders behind its leader; names and interactions are missing, and `axis` says what the
/// numbers are: "trial-3 is better by". null: nothing is judged.
Json ablation_json(const report::OpenedStudy& opened);

}  // namespace dlrun::page
