// SPDX-License-Identifier: Apache-2.0
// Which variants need more replicates.
#pragma once
#include <vector>

#include "statistics/contributions.hpp"

namespace dlrun::statistics {

enum class Standing { go_on, helps, hurts, negligible };

struct SequentialRules {
  AnalysisOptions analysis;  ///< its looks are where a variant may be settled; REQUIRES: at least one
  int family = 1;            ///< variants that are compared with the baseline, settled or not
};

/// How each variant stands at its latest look, from the metrics by replicate that are known so far. A look is reached
/// when base and variant have decided (measured or failed) as many replicates as it says, without a gap. A variant is
/// settled at the first look where
///   - its p over the looks so far is below alpha / family (Bonferroni, so that a Holm correction of all variants at
///   the
///     end keeps the verdict), or
///   - its equivalence p is below that look's nominal level,
/// and stays so: later replicates do not change it. The same metrics give the same answer, in whatever order they came.
///
/// @param base, variants  [r] metric; nullopt: failed; the vector ends before the first replicate that is not decided
std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules);

}  // namespace dlrun::statistics
