// SPDX-License-Identifier: Apache-2.0
// Costs of ranks, for the script of a page.
#pragma once
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {time, trials, said, nodes: [[index of the trial, name, gradients, computing, applying, transferring, waiting, sent,
/// received, staleness, most stale]]}: seconds, bytes and null where there is no staleness; `time` is virtual or
/// measured. Of many trials as many as have 4,000 nodes together, the best one first; `said` tells. null: no ranks.
Json ranks_json(const report::OpenedStudy& study);

}  // namespace dlrun::page
