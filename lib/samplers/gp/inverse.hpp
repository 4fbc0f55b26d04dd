// SPDX-License-Identifier: Apache-2.0
// The inverse of a symmetric matrix from its Cholesky factor, a third of the work of solving for every unit vector.
#pragma once
#include <Eigen/Core>

namespace dlrun::samplers::gp {

/// The lower triangle of (L L')⁻¹; numbers above the diagonal of the result have no meaning.
/// @param factor  n x n, of which the lower triangle is L
Eigen::MatrixXd inverse_of(const Eigen::Ref<const Eigen::MatrixXd>& factor);

}  // namespace dlrun::samplers::gp
