// SPDX-License-Identifier: Apache-2.0
// Choice of the variants that need more replicates.
#pragma once
#include <vector>

#include "statistics/contributions.hpp"

namespace dlrun::statistics {

enum class Standing { go_on, helps, hurts, negligible };

/// Made once for a study: the levels take some milliseconds.
struct SequentialRules {
  AnalysisOptions analysis;               ///< analysis with its looks
  std::vector<double> effect_levels;      ///< below which a p settles a variant, at each look
  std::vector<double> negligible_levels;  ///< below which an equivalence p does
};

/// Effects are held to alpha / family (Bonferroni), so that a Holm correction of all variants at the end keeps each
/// verdict; negligible ones to alpha each, as without looks.
/// @param family  variants that are compared with the baseline, settled or not
/// REQUIRES: analysis has looks; family >= 1.
SequentialRules sequential_rules(const AnalysisOptions& analysis, int family);

/// Looks at 4, 6, 8, 10 and 12 replicates, then at every fourth, and at all of them. REQUIRES: most >= 2.
std::vector<int> default_looks(int most);

/// A variant at the last look that it has reached.
struct Looked {
  Standing standing = Standing::go_on;
  int look = 0;              ///< replicates; 0: none was reached
  double p = 1;              ///< p of the effect, by these replicates alone
  double level = 0;          ///< below which it settles the variant
  double p_equivalence = 1;  ///< p of the test that the effect is within the rope
  double negligible_level = 0;
};

/// How a variant stands, from the metrics by replicate that are known so far. A look is reached when base and variant
/// have decided (measured or failed) as many replicates as it says, without a gap. A variant is settled at the first
/// look whose level its p, of those replicates alone, is below, and stays so: later replicates do not change it. What
/// is unstable or collapsed so far goes on. The same metrics give the same answer, in whatever order they came.
///
/// @param base, variant  [r] metric; nullopt: failed; the vector ends before the first replicate that is not decided
Looked looked_at(const Cells& base, const Cells& variant, const SequentialRules& rules);
/// Standings of several variants.
std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules);

/// Replicates that looking spends on an effect of d_z standard deviations of the differences, and how often it finds
/// it: means over 2,000 simulated variants, the same at each call.
struct Outlook {
  double replicates = 0;
  double found = 0;
};
Outlook outlook(const SequentialRules& rules, double d_z);

}  // namespace dlrun::statistics
