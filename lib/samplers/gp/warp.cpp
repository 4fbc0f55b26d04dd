// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/warp.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <vector>

#include "statistics/normal.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

namespace {

using Eigen::ArrayXd;
using Eigen::VectorXd;

constexpr double kLeastPower = -1;
constexpr double kMostPower = 1;  // higher values may be pressed together, the good ones never
constexpr int kBits = 12;         // bits of the power

struct Size {
  double middle, spread;
};

/// Mean and standard deviation.
Size moments(const VectorXd& values) {
  const double mean = values.mean();
  return {mean, std::sqrt((values.array() - mean).square().mean())};
}

/// Half of the values lie within `spread` of the middle, whatever the others are; moments where half of them are equal.
Size robust_size(const VectorXd& values) {
  const auto middle = [](std::vector<double> sorted) {
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  };
  const double median = middle({values.begin(), values.end()});
  const VectorXd sizes = (values.array() - median).abs();
  const double spread = middle({sizes.begin(), sizes.end()});
  return spread > 0 ? Size{median, spread} : moments(values);
}

double bent(double y, double power) {
  const auto raised = [](double base, double p) {
    return std::abs(p) < 1e-9 ? arithmetic::log1p(base) : arithmetic::expm1(p * arithmetic::log1p(base)) / p;
  };
  return y >= 0 ? raised(y, power) : -raised(-y, 2 - power);
}

double unbent(double z, double power) {
  constexpr double kEdge = 1e-12 - 1;  // below power * z the transform has no value
  const auto base = [&](double raised, double p) {
    return std::abs(p) < 1e-9 ? arithmetic::expm1(raised)
                              : arithmetic::expm1(arithmetic::log1p(std::max(p * raised, kEdge)) / p);
  };
  return z >= 0 ? base(z, power) : -base(-z, 2 - power);
}

VectorXd bent(const VectorXd& values, double power) {
  return values.unaryExpr([&](double y) { return bent(y, power); });
}

/// Log-likelihood of a normal distribution behind the transform, up to a constant.
double likelihood(const VectorXd& values, double power) {
  const ArrayXd out = bent(values, power).array();
  const double variance = (out - out.mean()).square().mean();
  const double stretch =
      values.unaryExpr([](double y) { return std::copysign(arithmetic::log1p(std::abs(y)), y); }).sum();
  return -0.5 * static_cast<double>(values.size()) * arithmetic::log(variance) + (power - 1) * stretch;
}

}  // namespace

double Warp::of(double value) const { return (bent((value - middle) / spread, power) - mean) / deviation; }

double Warp::inverse(double warped) const { return middle + spread * unbent(mean + deviation * warped, power); }

Warp warp_for(const VectorXd& values) {
  Warp warp;
  const Size before = robust_size(values);
  warp.middle = before.middle;
  if (!(before.spread > 0)) return warp;
  warp.spread = before.spread;
  const VectorXd plain = (values.array() - warp.middle) / warp.spread;
  const auto cost = [&](double power) { return -likelihood(plain, power); };
  warp.power = boost::math::tools::brent_find_minima(cost, kLeastPower, kMostPower, kBits).first;
  const Size after = moments(bent(plain, warp.power));
  warp.mean = after.middle;
  if (after.spread > 0) warp.deviation = after.spread;
  return warp;
}

VectorXd Warp::of(const VectorXd& values) const {
  return values.unaryExpr([&](double value) { return of(value); });
}

VectorXd warped(const VectorXd& values) { return warp_for(values).of(values); }

VectorXd normal_scores(const std::vector<Eigen::Index>& order) {
  VectorXd scores(static_cast<Eigen::Index>(order.size()));
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(order.size());
    scores[order[rank]] = statistics::normal_quantile(share);
  }
  return scores;
}

}  // namespace dlrun::samplers::gp
