// SPDX-License-Identifier: Apache-2.0
// Values as a Gaussian process likes them.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace dlrun::samplers::gp {

/// Standardised, bent by Yeo and Johnson's power transform (Biometrika 2000) of the power under which they look most
/// normal, and standardised again: a few values of another order of magnitude no longer hide what the good ones say,
/// and order is kept. (Cowen-Rivers et al., HEBO, JAIR 2022, on why it pays.) All equal: zeros.
Eigen::VectorXd warped(const Eigen::VectorXd& values);

/// The normal scores of ranks: for values that cannot be compared by size, only by order. @param order best first
Eigen::VectorXd normal_scores(const std::vector<Eigen::Index>& order);

}  // namespace dlrun::samplers::gp
