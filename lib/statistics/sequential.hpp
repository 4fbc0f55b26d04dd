// SPDX-License-Identifier: Apache-2.0
// Which variants need more replicates.
#pragma once
#include <vector>

#include "statistics/contributions.hpp"

namespace dlrun::statistics {

enum class Standing { go_on, helps, hurts, negligible };

/// Made once for a study: the levels take some milliseconds.
struct SequentialRules {
  AnalysisOptions analysis;               ///< with its looks
  std::vector<double> effect_levels;      ///< below which a p settles a variant, at each look
  std::vector<double> negligible_levels;  ///< below which an equivalence p does
};

/// Effects are held to alpha / family (Bonferroni), so that a Holm correction of all variants at the end keeps each
/// verdict; negligible ones to alpha each, as without looks.
/// @param family  variants that are compared with the baseline, settled or not
/// REQUIRES: analysis has looks; family >= 1.
SequentialRules sequential_rules(const AnalysisOptions& analysis, int family);

/// How each variant stands, from the metrics by replicate that are known so far. A look is reached when base and
/// variant have decided (measured or failed) as many replicates as it says, without a gap. A variant is settled at the
/// first look whose level its p, of those replicates alone, is below, and stays so: later replicates do not change it.
/// What is unstable so far goes on. The same metrics give the same answer, in whatever order they came.
///
/// @param base, variants  [r] metric; nullopt: failed; the vector ends before the first replicate that is not decided
std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules);

}  // namespace dlrun::statistics
