// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/warp.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <vector>

namespace dlrun::samplers::gp {

namespace {

using Eigen::ArrayXd;
using Eigen::VectorXd;

constexpr double kLeastPower = -1;
constexpr double kMostPower = 1;  // higher values may be pressed together, the good ones never
constexpr int kBits = 12;         // of the power

VectorXd standardised(const VectorXd& values) {
  const ArrayXd centred = values.array() - values.mean();
  const double deviation = std::sqrt(centred.square().mean());
  if (!(deviation > 0)) return VectorXd::Zero(values.size());
  return (centred / deviation).matrix();
}

/// Half of the values lie within 1 of 0, whatever the others are.
VectorXd robust(const VectorXd& values) {
  const auto middle = [](std::vector<double> sorted) {
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  };
  const double median = middle({values.begin(), values.end()});
  const VectorXd centred = values.array() - median;
  const VectorXd sizes = centred.cwiseAbs();
  const double spread = middle({sizes.begin(), sizes.end()});
  return spread > 0 ? VectorXd(centred / spread) : standardised(values);
}

double bent(double y, double power) {
  const auto raised = [](double base, double p) {
    return std::abs(p) < 1e-9 ? std::log1p(base) : std::expm1(p * std::log1p(base)) / p;
  };
  return y >= 0 ? raised(y, power) : -raised(-y, 2 - power);
}

VectorXd bent(const VectorXd& values, double power) {
  return values.unaryExpr([&](double y) { return bent(y, power); });
}

/// Log-likelihood of a normal distribution behind the transform, up to a constant.
double likelihood(const VectorXd& values, double power) {
  const ArrayXd out = bent(values, power).array();
  const double variance = (out - out.mean()).square().mean();
  const double stretch = values.unaryExpr([](double y) { return std::copysign(std::log1p(std::abs(y)), y); }).sum();
  return -0.5 * static_cast<double>(values.size()) * std::log(variance) + (power - 1) * stretch;
}

}  // namespace

VectorXd warped(const VectorXd& values) {
  VectorXd plain = robust(values);
  if (plain.isZero()) return plain;
  const auto cost = [&](double power) { return -likelihood(plain, power); };
  const double power = boost::math::tools::brent_find_minima(cost, kLeastPower, kMostPower, kBits).first;
  return standardised(bent(plain, power));
}

VectorXd normal_scores(const std::vector<Eigen::Index>& order) {
  VectorXd scores(static_cast<Eigen::Index>(order.size()));
  const boost::math::normal normal;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(order.size());
    scores[order[rank]] = boost::math::quantile(normal, share);
  }
  return scores;
}

}  // namespace dlrun::samplers::gp
