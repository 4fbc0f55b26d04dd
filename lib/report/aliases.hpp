// SPDX-License-Identifier: Apache-2.0
// Effects that a fraction of all combinations cannot tell apart.
#pragma once
#include "report/report.hpp"

namespace dlrun::report {

/// Effects that the same runs measure. @param derived  `derived.ablation`; no rows where the design is no fraction
Table alias_table(const Json& derived);

}  // namespace dlrun::report
