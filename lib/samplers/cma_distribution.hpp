// SPDX-License-Identifier: Apache-2.0
// The normal distribution that CMA-ES moves through the unit cube.
#pragma once
#include <Eigen/Core>
#include <functional>
#include <vector>

namespace dlrun::samplers {

/// A point that was evaluated. `is_own`: it was drawn from the distribution as it stands; others (drawn from the one
/// before, or a person's) have their length limited.
struct CmaPoint {
  Eigen::VectorXd x;
  bool is_own = true;
};

/// Thresholds at which an integer axis changes its value: the nearest ones around `x` (NaN: none on that side).
struct Thresholds {
  double below, above;
};

/// CMA-ES with negative weights (Hansen 2016, arXiv:1604.00772; symbols as there), points of other origin limited in
/// length (Hansen 2011, arXiv:1110.4181), and a margin for integers (Hamano et al. 2022, arXiv:2205.13482): each keeps
/// a chance of at least 1 / (lambda n) to leave its value, by the diagonal A.
class CmaDistribution {
 public:
  /// @param fresh  points of an update that no update before had: the learning rates are the published ones times
  ///               sqrt(fresh / lambda). REQUIRES: mean.size() >= 1, lambda >= 4, 1 <= fresh <= lambda
  CmaDistribution(const Eigen::VectorXd& mean, double sigma, int lambda, int fresh);

  int lambda() const { return lambda_; }
  const Eigen::VectorXd& mean() const { return mean_; }
  double sigma() const { return sigma_; }
  /// The point at a draw of the standard normal distribution.
  Eigen::VectorXd at(const Eigen::VectorXd& z) const;
  /// The points of one update, the best first. REQUIRES: points.size() == lambda()
  void update(const std::vector<CmaPoint>& points);
  /// @param thresholds of axis `axis` around the mean
  void keep_margin(int axis, const Thresholds& thresholds);
  /// Is there nothing left to be found around here? @param tolerance a step in the unit cube
  bool has_converged(double tolerance) const;

 private:
  /// Standard deviation along an axis.
  double spread(int axis) const;
  Eigen::VectorXd whitened(const Eigen::VectorXd& y) const;
  void decompose();

  int lambda_;
  int mu_;
  Eigen::VectorXd weights_;
  double mu_eff_ = 0, c_sigma_ = 0, d_sigma_ = 0, c_c_ = 0, c_1_ = 0, c_mu_ = 0, chi_ = 0;
  Eigen::VectorXd mean_, p_sigma_, p_c_, scale_, lengths_;
  double sigma_;
  Eigen::MatrixXd covariance_, axes_;
  int generation_ = 0;
};

}  // namespace dlrun::samplers
