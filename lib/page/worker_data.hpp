// SPDX-License-Identifier: Apache-2.0
// Work of each worker over time, for a Gantt chart of a page.
#pragma once
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {names, bars: [[row, begin, end, trials, state]], remark}: a row for each number of a worker, whichever driver
/// started it; times in seconds from the first attempt's start. Bars of one row and state that nearly touch are one if
/// the study has many attempts; `trials` is "12", or "12 … 40" of the first and the last. `remark` says how busy the
/// workers were. null: no attempt.
Json workers_json(const report::OpenedStudy& study);

}  // namespace dlrun::page
