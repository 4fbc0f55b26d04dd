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

struct Importances {
  std::vector<Estimate> parameters;  ///< by parameter of the space; 0 where it has only one value
  std::vector<Pair> pairs;           ///< first < second; empty where the method knows no pairs
  /// 1 - squared error / variance of the forest for trials that a tree did not see; nullopt: there is no forest, or the
  /// objectives are all equal. Below 0 the forest knows less than the mean does.
  std::optional<double> explained;
};

}  // namespace dlrun::importance
