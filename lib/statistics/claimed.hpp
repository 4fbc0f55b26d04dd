// SPDX-License-Identifier: Apache-2.0
// A contribution as a claim about examples that were not seen: examples are a source of luck beside replicates.
#pragma once
#include <optional>
#include <vector>

#include "statistics/example_values.hpp"
#include "statistics/paired.hpp"

namespace dlrun::statistics {

/// Variance of a contribution by where it comes from.
struct Luck {
  double replicates = 0;  ///< seeds, or folds with their seeds
  double examples = 0;
  /// The residual: a replicate's own way with an example. Part of either of the others; 0 where each example was judged
  /// once, and nothing tells it from that of examples.
  double both = 0;
  /// Replicates were not judged on the same examples.
  bool has_folds = false;
};

struct ClaimedEffect {
  Effect effect;  ///< n counts replicates; sd and d_z are those of the replicates' means
  Luck luck;
};

/// Mean over all examples of all replicates, with the variance that replicates and examples give it.
///
/// Where each replicate was judged on the same examples, both are random effects that are crossed: the variance is
/// (MS_replicates + MS_examples - MS_residual) / (R N), with Satterthwaite's degrees of freedom (Biometrics Bulletin
/// 1946), and never less than that of either alone. Where replicates were judged on other examples (folds), it is that
/// of sums over examples, over replicates and over both (Cameron, Gelbach and Miller, 2011: examples + replicates -
/// both), again never less than that of either alone; where each example was judged once, that is the larger of the
/// two.
///
/// @param gains  values of each replicate by example (with - without, say)
/// @param level  of the interval
/// @return nullopt: fewer than two replicates, or fewer than two examples
std::optional<ClaimedEffect> claimed_effect(const std::vector<ExampleValues>& gains, double level = 0.95);

}  // namespace dlrun::statistics
