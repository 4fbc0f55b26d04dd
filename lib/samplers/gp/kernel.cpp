// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/kernel.hpp"

#include "samplers/arrays.hpp"

namespace dlrun::samplers::gp {

using Eigen::ArrayXd;
using Eigen::Index;

void Kernel::set(const Hyperparameters& parameters) {
  parameters_ = parameters;
  const ArrayXd root = (5 * (squared_ * parameters.theta).array()).sqrt(), fall = exp_of(-root);
  together_ = (1 + root + root.square() / 3) * fall;
  slope_ = -5.0 / 6 * (1 + root) * fall;
  alone_.setZero(squared_.rows(), squared_.cols());
  sum_.setZero(squared_.rows());
  if (parameters.alone == 0) return;
  for (Index a = 0; a < alone_.cols(); ++a) {
    alone_.col(a) = (1 + parameters.stretch * parameters.theta[a] * squared_.col(a).array()).inverse();
    sum_ += alone_.col(a);
  }
}

ArrayXd Kernel::values() const { return together() * together_ + of_axis() * sum_; }

ArrayXd Kernel::slopes(Index axis) const {
  return together() * slope_ - of_axis() * parameters_.stretch * alone_.col(axis).square();
}

/// x dC/dx = C² − C
Kernel::Gradient Kernel::gradient(const ArrayXd& weights) const {
  Gradient out{Eigen::VectorXd(alone_.cols()), 0, 0};
  const ArrayXd by_all = together() * weights * slope_;
  for (Index a = 0; a < alone_.cols(); ++a) {
    const auto c = alone_.col(a);
    const double by_axis = of_axis() * (weights * (c.square() - c)).sum();
    out.log_theta[a] = parameters_.theta[a] * (by_all * squared_.col(a).array()).sum() + by_axis;
    out.log_stretch += by_axis;
  }
  out.alone = parameters_.scale * (weights * (sum_ / static_cast<double>(alone_.cols()) - together_)).sum();
  return out;
}

}  // namespace dlrun::samplers::gp
