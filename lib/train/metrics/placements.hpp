// SPDX-License-Identifier: Apache-2.0
// Area under the ROC curve without one of its examples, by how many of the other side it loses against.
#pragma once
#include <cstdint>
#include <vector>

#include "train/metrics/ranking.hpp"

namespace dlrun::train {

/// Sorts the scores once; every example then costs a search in them (DeLong et al., Biometrics 1988).
class Placements {
 public:
  explicit Placements(const Ranking& all);

  /// auc of all but these, as Ranking::value has it.
  /// @param example  one of them, or none
  double without(const Ranking& example) const;

 private:
  /// Scores of a class, ascending: those of its own examples and those of the others.
  struct Sides {
    std::int64_t label;
    std::vector<double> own, others;
    double won = 0;  ///< pairs in which the own one scores higher; equal scores count half
  };
  static double without(const Sides& sides, double score, bool is_own);

  std::vector<Sides> classes_;
};

}  // namespace dlrun::train
