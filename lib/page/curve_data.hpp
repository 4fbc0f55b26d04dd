// SPDX-License-Identifier: Apache-2.0
// Learning curves of a study, for the script of a page.
#pragma once
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {metric, shown, runs: [{trial, state, steps, values}]}: the curves of report::study_curves for the first objective;
/// `shown` says which they are; null values: not finite. null: no trial has values of two epochs.
Json curves_json(const report::OpenedStudy& study);

}  // namespace dlrun::page
