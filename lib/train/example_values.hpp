// SPDX-License-Identifier: Apache-2.0
// A metric of a split as the mean of one number for each example.
#pragma once
#include <string>
#include <vector>

#include "train/heads.hpp"

namespace dlrun::train {

/// Numbers of single examples whose plain mean is the metric, to rounding. With v_i the metric of example i alone, w_i
/// its weight, W the sum of the weights of n examples and M = sum of w_i v_i / W, the number is M + n w_i / W (v_i -
/// M): v_i itself if all weights are equal, else the influence of the example on a ratio of sums. The total loss of
/// several outputs is a sum of such means.
class ExampleValues {
 public:
  /// @param metric  without the split (SplitSums::terms)
  explicit ExampleValues(std::string metric) : metric_(std::move(metric)) {}

  void add(const SplitSums& example) { terms_.push_back(example.terms(metric_)); }
  std::vector<float> values() const;

 private:
  std::string metric_;
  std::vector<std::vector<Term>> terms_;  ///< by example
};

/// The outputs with the metrics that a metric needs, no others.
/// @param metric  without the split
std::vector<OutputConfig> outputs_for(const std::string& metric, std::vector<OutputConfig> outputs);

}  // namespace dlrun::train
