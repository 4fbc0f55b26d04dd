// SPDX-License-Identifier: Apache-2.0
// One figure and its interval from resampled trials.
#pragma once
#include <algorithm>
#include <vector>

#include "importance/evidence.hpp"
#include "statistics/summary.hpp"

namespace dlrun::importance {

using statistics::quantile;

/// Mean and middle 90 % of the samples; zeros where there are none.
inline Estimate estimate(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const double mean = statistics::mean(samples);
  return {mean, quantile(samples, 0.05), quantile(samples, 0.95)};
}

}  // namespace dlrun::importance
