// SPDX-License-Identifier: Apache-2.0
// How alike two points are: a share for all their coordinates together, and one for each coordinate alone.
#pragma once
#include <Eigen/Core>
#include <cmath>

#include "samplers/axis.hpp"

namespace dlrun::samplers::gp {

/// k = s ((1 − w) M(Σ r_a²) + w/d Σ C(c r_a²)) over d axes with r_a² = θ_a d_a², where M(r²) = (1 + √5 r + 5/3 r²)
/// exp(−√5 r) is the Matérn kernel of smoothness 5/2 and C(x) = 1 / (1 + x) the rational quadratic one with α = 1
/// (Rasmussen and Williams 2006, 4.17 and 4.19). The second part is of functions that are sums of functions of one
/// parameter each (Duvenaud, Nickisch and Rasmussen, NeurIPS 2011): such a function is known everywhere once each axis
/// has been tried, where M has to see every corner.
struct Hyperparameters {
  Eigen::VectorXd theta;  ///< θ [d], inverse squared length scales
  double scale = 1;       ///< s, the variance of the function
  double noise = 1e-2;    ///< the variance of measured values around it
  double alone = 0;       ///< w, the share of the axes alone
  double stretch = 1;     ///< c
};

/// d_a²: for numbers the squared distance of the coordinates; for choices 1 where they differ; 1 where the axis is
/// active at one point only, 0 where at neither. So trials of all branches of a conditional space tell about all.
inline double squared_distance(const Axis& axis, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : 1;
  if (axis.is_categorical) return a == b ? 0 : 1;
  return (a - b) * (a - b);
}

/// The kernel of n pairs of points. Sums over many pairs are made without arrays in between, which cost more than the
/// arithmetic.
class Kernel {
 public:
  /// @param squared [n, d] d_a² of the pairs
  explicit Kernel(Eigen::MatrixXd squared) : squared_(std::move(squared)) {}
  void set(const Hyperparameters& parameters);

  Eigen::ArrayXd values() const;
  /// Derivatives by r_a², which have no pole at 0: [n].
  Eigen::ArrayXd slopes(Eigen::Index axis) const;

  /// Derivatives of the values' weighted sum.
  struct Gradient {
    Eigen::VectorXd log_theta;  ///< [d]
    double alone, log_stretch;
  };
  Gradient gradient(const Eigen::ArrayXd& weights) const;

 private:
  double together() const { return parameters_.scale * (1 - parameters_.alone); }
  double of_axis() const { return parameters_.scale * parameters_.alone / static_cast<double>(alone_.cols()); }

  Eigen::MatrixXd squared_;
  Hyperparameters parameters_;
  Eigen::ArrayXd together_, slope_;  ///< [n] M and its derivative
  Eigen::ArrayXXd alone_;            ///< [n, d] C; its derivative is −C²
  Eigen::ArrayXd sum_;               ///< [n] of C over the axes
};

}  // namespace dlrun::samplers::gp
