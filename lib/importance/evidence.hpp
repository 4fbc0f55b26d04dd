// SPDX-License-Identifier: Apache-2.0
// Evidence for importances, and the form of the answer.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "space/space.hpp"

namespace dlrun::importance {

/// n trials. Values of inactive parameters are monostate.
struct Evidence {
  space::Space space;
  std::vector<space::Values> values;  ///< [n]
  std::vector<double> objectives;     ///< [n] finite, lower is better
  std::vector<double> budgets;        ///< [n] part of the whole budget in (0, 1]; 1 where a trial gets no further
};

/// A share with the middle 90 % of its values from resampled trials.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Pair {
  std::size_t first = 0, second = 0;  ///< parameters
  Estimate share;
};

/// Part of the variance that a forest of the parameters alone explains of trials that a tree did not see.
struct Gain {
  double value = 0;  ///< 1 - squared error / variance
  double low = 0;    ///< lower end of it, one-sided 95 % by Student's t over the trials
};

/// Error that is taken for a ranking of nothing.
inline constexpr double kChance = 0.05;

struct Importances {
  std::vector<Estimate> parameters;  ///< by parameter of the space; 0 where it has only one value
  std::vector<Pair> pairs;           ///< first < second; empty where the method knows no pairs
  /// 1 - squared error / variance of the forest for trials that a tree did not see; nullopt: there is no forest, or the
  /// objectives are all equal. Below 0 the forest knows less than the mean does.
  std::optional<double> explained;
  std::optional<Gain> gain;      ///< nullopt: there is no forest, or nothing to explain
  std::optional<double> chance;  ///< without a forest: p value of the divergences, by permutations

  /// Do the shares say more than chance would? Else they rank nothing.
  bool tells() const { return gain ? gain->low > 0 : chance && *chance <= kChance; }
};

}  // namespace dlrun::importance
