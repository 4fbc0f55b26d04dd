// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/feasibility.hpp"

#include <cmath>
#include <numbers>

#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

LogCdf log_cdf(double z) {
  const double log_density = -0.5 * z * z - 0.5 * arithmetic::log(2 * std::numbers::pi);
  if (z > -30) {
    const double value = arithmetic::log(0.5 * arithmetic::erfc(-z / std::numbers::sqrt2));
    return {value, arithmetic::exp(log_density - value)};
  }
  const double value = log_density - arithmetic::log(-z) - 1 / (z * z);  // the asymptotic series, to z^-4
  return {value, arithmetic::exp(log_density - value)};
}

double log_feasibility(const std::vector<Limit>& limits, const Coordinates& point, Eigen::VectorXd* slope) {
  double sum = 0;
  for (const Limit& limit : limits) {
    const Belief belief = limit.process.at(point, slope != nullptr);
    const double deviation = std::sqrt(std::max(belief.variance, 1e-18));
    const double z = (limit.most - belief.means[0]) / deviation;
    const auto [value, by_z] = log_cdf(z);
    sum += value;
    if (slope == nullptr) continue;
    *slope -= by_z / deviation * belief.mean_slopes.row(0).transpose();
    *slope -= by_z * z / (2 * deviation * deviation) * belief.variance_slope;
  }
  return sum;
}

}  // namespace dlrun::samplers::gp
