// SPDX-License-Identifier: Apache-2.0
// Work of each worker over time, for a Gantt chart of a page.
#pragma once
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {names, idle, bars: [[row, begin, end, trials, state]], cuts, remark}: the rows, bars and cuts of
/// report::study_workers, times in seconds, idle shares; `trials` is "12", or "12 … 40" of the first and the last of
/// several attempts. null: no attempt.
Json workers_json(const report::OpenedStudy& study);

}  // namespace dlrun::page
