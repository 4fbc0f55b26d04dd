// SPDX-License-Identifier: Apache-2.0
// Effects that a plan can show, before anything is trained.
#pragma once
#include <optional>
#include <string>

namespace dlrun::ablation {

struct Design {
  int replicates = 10;
  int comparisons = 1;  ///< components that are judged together
  double alpha = 0.05;
  std::string test = "paired_t";    ///< paired_t | sign_flip | wilcoxon
  std::string correction = "holm";  ///< holm | bh | none
  double test_share = 0;  ///< as statistics::EffectOptions has it, where each replicate has a split of its own
};

/// The least number of replicates with which any effect could be called one: two for an interval, and for the tests of
/// signs and ranks enough that their smallest p passes the correction.
int least_replicates(const Design& design);

struct Power {
  double small = 0, large = 0;        ///< chance to find an effect of one and of two standard deviations of differences
  std::optional<int> replicates = 0;  ///< replicates that find one deviation in four studies of five; nullopt: too many
};

/// Power of the paired t test at the level of the correction's strictest step. REQUIRES: at least two replicates.
Power power_of(const Design& design);

/// The least contribution that four studies of five find, in standard deviations of the examples' differences, where so
/// many examples are judged and they are all the luck there is. REQUIRES: at least two examples.
double least_contribution(const Design& design, int examples);

}  // namespace dlrun::ablation
