// SPDX-License-Identifier: Apache-2.0
// Values as a Gaussian process likes them.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace dlrun::samplers::gp {

/// How values of the objective became values of a process, and back: standardised robustly, bent, standardised.
struct Warp {
  double middle = 0, spread = 1;   ///< standardisation before the power
  double power = 1;                ///< power of Yeo and Johnson
  double mean = 0, deviation = 1;  ///< standardisation after the power

  double of(double value) const;
  Eigen::VectorXd of(const Eigen::VectorXd& values) const;
  /// The value that `of` takes there; where none does, the nearest it can take.
  double inverse(double warped) const;
};

/// The transform that warped() applies to these values. All equal: they are moved to 0.
Warp warp_for(const Eigen::VectorXd& values);

/// Standardised, bent by Yeo and Johnson's power transform (Biometrika 2000) of the power under which they look most
/// normal, and standardised again: a few values of another order of magnitude no longer hide what the good ones say,
/// and order is kept. (Cowen-Rivers et al., HEBO, JAIR 2022, on why it pays.) All equal: zeros.
Eigen::VectorXd warped(const Eigen::VectorXd& values);

/// The normal scores of ranks: for values that cannot be compared by size, only by order. @param order best first
Eigen::VectorXd normal_scores(const std::vector<Eigen::Index>& order);

}  // namespace dlrun::samplers::gp
