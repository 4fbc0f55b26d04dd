// SPDX-License-Identifier: Apache-2.0
// Learning curves of a study, for the script of a page.
#pragma once
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {metric, shown, runs: [{trial, state, steps, values}]}: the objective's metric by epoch, the mean over the members
/// of a trial. Of many trials the best and an even sample of the others; `shown` says how many. null: no trial has
/// values of two epochs.
Json curves_json(const report::OpenedStudy& study);

}  // namespace dlrun::page
