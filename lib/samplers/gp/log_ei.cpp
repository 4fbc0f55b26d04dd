// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/log_ei.hpp"

#include <cmath>
#include <numbers>

#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

namespace {

constexpr double kLogRootTwoPi = 0.91893853320467274178;
const double kRootHalfPi = std::sqrt(std::numbers::pi / 2);

/// For z < −25, where erfcx's terms cancel: by the series of h = φ z⁻² (1 − 3 z⁻² …) and Φ = φ |z|⁻¹ (1 − z⁻² …).
LogH far(double z) {
  const double w = 1 / (z * z);
  const double h = 1 - w * (3 - w * (15 - 105 * w));
  return {-z * z / 2 - kLogRootTwoPi + arithmetic::log(w) + arithmetic::log(h),
          -z * (1 - w * (1 - w * (3 - 15 * w))) / h};
}

/// For −25 <= z < −1, where φ and z Φ nearly cancel: by Φ/φ = √(π/2) erfcx(−z/√2).
LogH middle(double z) {
  const double x = -z / std::numbers::sqrt2;
  const double mills = kRootHalfPi * arithmetic::exp(x * x) * arithmetic::erfc(x);
  const double h = 1 + z * mills;
  return {-z * z / 2 - kLogRootTwoPi + arithmetic::log(h), mills / h};
}

}  // namespace

LogH log_h(double z) {
  if (z < -25) return far(z);
  if (z < -1) return middle(z);
  const double density = arithmetic::exp(-z * z / 2 - kLogRootTwoPi);
  const double below = 0.5 * arithmetic::erfc(-z / std::numbers::sqrt2);
  const double h = density + z * below;
  return {arithmetic::log(h), below / h};
}

double log_ei(const Belief& belief, const Eigen::VectorXd& best, Eigen::VectorXd* slope) {
  const Eigen::Index m = belief.means.size();
  const double deviation = std::sqrt(belief.variance);
  Eigen::VectorXd logs(m), slopes(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const LogH h = log_h((best[i] - belief.means[i]) / deviation);
    logs[i] = h.value;
    slopes[i] = h.slope;
  }
  const double most = logs.maxCoeff();
  const Eigen::VectorXd shares = exp_of(logs.array() - most);
  const double sum = shares.sum();
  if (slope != nullptr) {
    const Eigen::VectorXd by_z = (shares.array() * slopes.array() / sum).matrix();
    const Eigen::VectorXd z = (best - belief.means) / deviation;
    const Eigen::VectorXd deviation_slope = belief.variance_slope / (2 * belief.variance);  // slope of log deviation
    *slope = (1 - by_z.dot(z)) * deviation_slope - belief.mean_slopes.transpose() * by_z / deviation;
  }
  return arithmetic::log(deviation) + most + arithmetic::log(sum / static_cast<double>(m));
}

}  // namespace dlrun::samplers::gp
