// SPDX-License-Identifier: Apache-2.0
// Regular fractions of two-level factorials: 2^(k - p) of the 2^k combinations of k components, chosen so that effects
// of low order can be told apart (Box, Hunter 1961, Technometrics 3; resolution and words as there).
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ablation/off_sets.hpp"

namespace dlrun::ablation {

/// Components as bits.
using Subset = std::uint32_t;

/// Effects that the same difference of runs measures: their sum is what is estimated. Signs are all positive, for the
/// baseline, where everything is there, is one of the runs.
struct Alias {
  Subset effect = 0;           ///< one component, or an interaction of two
  std::vector<Subset> others;  ///< aliased subsets, lower orders first
};

struct Fraction {
  std::vector<Subset> columns;  ///< per component: the base factors whose product it is
  std::size_t runs = 0;         ///< a power of two, the baseline among them
  std::vector<Subset> words;    ///< defining relation: products of components that are constant; none: all runs
  int resolution = 0;           ///< length of the shortest word; 0 without words

  /// Variants without the baseline.
  std::vector<Off> variants() const;
  /// Every component with what it is aliased with up to order three, then every class of interactions of two that no
  /// component is among, named by its first, with those of two.
  std::vector<Alias> aliases() const;
};

/// The smallest fraction of at least this resolution, and of the highest there is in as many runs.
/// @throws Refused E250 where it would be all combinations, or more than 64 runs.
Fraction fraction_of(std::size_t components, int resolution);

/// @param generators  component -> the others whose product it is, none of which is generated itself
/// @throws Refused E250 for a resolution below three, where two components could not be told apart.
Fraction fraction_by(std::size_t components, const std::map<std::size_t, std::vector<std::size_t>>& generators);

}  // namespace dlrun::ablation
