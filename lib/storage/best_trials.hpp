// SPDX-License-Identifier: Apache-2.0
// Which trials of a study are its best, for who keeps or carries what they left.
#pragma once

namespace dlrun::storage {

/// SQL: feasible trials that are over, best first: those that completed or, where none has, those that were pruned, as
/// reports rank them.
constexpr const char* kBestTrials = R"sql(
SELECT b.trial FROM dl_trial b
WHERE b.objective IS NOT NULL AND coalesce(b.violation, 0) <= 0
      AND b.state = CASE WHEN EXISTS (SELECT 1 FROM v_best) THEN 3 ELSE 4 END
ORDER BY CASE (SELECT maximize FROM dl_study) WHEN 1 THEN -b.objective ELSE b.objective END, b.trial
)sql";

}  // namespace dlrun::storage
