// SPDX-License-Identifier: Apache-2.0
// A sample in a few figures. Sums run in order, so that equal values give equal bits.
#pragma once
#include <optional>
#include <vector>

namespace dlrun::statistics {

/// REQUIRES: values is not empty.
double mean(const std::vector<double>& values);

/// Standard deviation of the population the values are from (n - 1). REQUIRES: at least two values.
double standard_deviation(const std::vector<double>& values);

/// Pearson's. nullopt: fewer than three pairs, or one of the two is constant. REQUIRES: as many of either.
std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b);

/// Interpolated between the two nearest. REQUIRES: sorted, not empty, p in [0, 1].
double quantile(const std::vector<double>& sorted, double p);

}  // namespace dlrun::statistics
