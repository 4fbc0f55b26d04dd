// SPDX-License-Identifier: Apache-2.0
// From what resampled trials say to one figure and its interval.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "importance/evidence.hpp"

namespace dlrun::importance {

/// Interpolated between the two nearest. REQUIRES: sorted, not empty.
inline double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

/// Their mean and their middle 90 %; zeros where there are none.
inline Estimate estimate(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
  return {mean, quantile(samples, 0.05), quantile(samples, 0.95)};
}

}  // namespace dlrun::importance
