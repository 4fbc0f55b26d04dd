// SPDX-License-Identifier: Apache-2.0
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dlrun::statistics {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / double(values.size() - 1));
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return std::nullopt;
  const double centre_a = mean(a), centre_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - centre_a) * (b[i] - centre_b);
    aa += (a[i] - centre_a) * (a[i] - centre_a);
    bb += (b[i] - centre_b) * (b[i] - centre_b);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

}  // namespace dlrun::statistics
