// SPDX-License-Identifier: Apache-2.0
// A metric that is no mean over examples as the mean of one number for each example.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "train/heads.hpp"
#include "train/metrics/placements.hpp"

namespace dlrun::train {

/// Numbers of single examples by the jackknife (Tukey 1958). With M the metric of n examples and M_i that of all but
/// example i, the number is M + (n - 1) (mean of all M_i - M_i), so that the plain mean is M and the spread is that of
/// the examples' influence on M.
class Jackknife {
 public:
  /// @param metric  without the split. REQUIRES: no loss
  /// @param all     sums of all examples, which measure the metric; lent
  Jackknife(const std::string& metric, const SplitSums& all);

  void add(const SplitSums& example);
  /// NaN where the metric is not defined without one of the examples.
  std::vector<float> values() const;

 private:
  std::string metric_;
  SplitSums::Measuring whole_;
  std::optional<Placements> ranking_;
  std::vector<double> without_;  ///< by example
};

}  // namespace dlrun::train
