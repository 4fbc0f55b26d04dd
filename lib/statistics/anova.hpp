// SPDX-License-Identifier: Apache-2.0
// Analysis of variance of factorial plans, with the replicate as block.
#pragma once
#include <string>
#include <vector>

namespace dlrun::statistics {

/// One measured cell.
struct Observation {
  std::vector<int> levels;  ///< level of each factor, from 0
  int block = 0;            ///< the replicate
  double value = 0;
};

struct AnovaOptions {
  int order = 2;           ///< interactions of up to so many factors
  bool has_blocks = true;  ///< the replicate is a block: what its seed does is no error
};

/// A row of the table.
struct AnovaTerm {
  std::vector<int> factors;  ///< one: a main effect; several: their interaction; none: blocks, or the residual
  std::string name;          ///< by the factors' names, "a x b", "replicate", "residual"
  double sum_of_squares = 0;
  int degrees = 0;
  double f = 0;  ///< 0 for the residual
  double p = 1;
  double share = 0;  ///< partial eta squared: share of the rest that the other terms leave
  /// Worth of the component, for two-level factors (0 is without, 1 is with), averaged over the others; of two, how
  /// much more the first is worth with the second there than without.
  double effect = 0;
  double standard_error = 0;
};

/// Least squares in effect (sum to zero) coding. Sums of squares are of the third type: what the fit loses without the
/// term, so in balanced plans they add up. The last row is the residual. Terms that the cells cannot tell from others
/// have 0 degrees. REQUIRES: at least one observation; levels.size() == names.size().
std::vector<AnovaTerm> anova(const std::vector<std::string>& names, const std::vector<Observation>& observations,
                             const AnovaOptions& options = {});

}  // namespace dlrun::statistics
