// SPDX-License-Identifier: Apache-2.0
// How alike two points are: the Matérn kernel of smoothness 5/2 with a length scale for each axis.
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "samplers/arrays.hpp"
#include "samplers/axis.hpp"

namespace dlrun::samplers::gp {

/// k(r²) = s (1 + √5 r + 5/3 r²) exp(−√5 r) with r² = Σ θ_a d_a² (Rasmussen and Williams 2006, 4.17).
struct Hyperparameters {
  Eigen::VectorXd theta;  ///< inverse squared length scales, by axis
  double scale = 1;       ///< s, the variance of the function
  double noise = 1e-2;    ///< the variance of measured values around it
};

/// d_a²: for numbers the squared distance of the coordinates; for choices 1 where they differ; 1 where the axis is
/// active at one point only, 0 where at neither. So trials of all branches of a conditional space tell about all.
inline double squared_distance(const Axis& axis, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : 1;
  if (axis.is_categorical) return a == b ? 0 : 1;
  return (a - b) * (a - b);
}

/// The kernel over an array of r², with s = 1.
template <class Array>
auto matern(const Array& r2) {
  const Eigen::ArrayXd root = (5 * r2).sqrt();
  return ((1 + root + 5.0 / 3 * r2) * exp_of(-root)).eval();
}

/// Derivative of the Matérn kernel by r², which has no pole at 0.
template <class Array>
auto matern_slope(const Array& r2) {
  const Eigen::ArrayXd root = (5 * r2).sqrt();
  return (-5.0 / 6 * (1 + root) * exp_of(-root)).eval();
}

}  // namespace dlrun::samplers::gp
