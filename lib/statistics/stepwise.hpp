// SPDX-License-Identifier: Apache-2.0
// Ablation in rounds: each round tries every component that is left, and the best of them is the next step. From all
// there, one component goes after the other (backward elimination); or from none there, one comes after the other, the
// greedy path of Fawcett and Hoos (Analysing differences between algorithm configurations through ablation, Journal of
// Heuristics 22, 2016, Algorithm 1).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::statistics {

/// Components that are off, as bits.
using OffSet = std::uint32_t;

struct StepwiseRules {
  int components = 0;
  bool puts_back = false;  ///< begins with all off, and puts one back in each round
  bool maximize = true;    ///< more of the metric is better
  /// Elimination: it ends where the best step loses more than this; nullopt: it goes on while there is a step.
  std::optional<double> tolerance;
  std::map<OffSet, std::size_t> variants;  ///< variant that is trained for each set; a set without one cannot be built
};

/// Metric of a variant by replicate: not decided yet; failed; measured.
using SeenCells = std::vector<std::optional<std::optional<double>>>;

struct Step {
  int component = 0;
  OffSet before = 0, after = 0;
  double gain = 0;  ///< mean over replicates that both measured, positive is better
};

struct Stepwise {
  std::vector<Step> steps;
  OffSet at = 0;             ///< set that the steps have led to
  std::vector<OffSet> open;  ///< sets whose cells decide the next step, that of `at` first; none: it is over
  std::string end;           ///< why it is over
};

/// All steps that the cells decide. A round is decided when all of its cells are; so the same cells give the same
/// steps, in whatever order they came. A set of which more than a fifth of the replicates failed is no step; of equal
/// ones the component that is named first is taken.
/// @param seen  [variant][replicate]
Stepwise stepwise(const StepwiseRules& rules, const std::vector<SeenCells>& seen);

}  // namespace dlrun::statistics
