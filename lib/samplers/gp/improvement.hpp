// SPDX-License-Identifier: Apache-2.0
// The expected improvement in units of the objective, for people and for the rule that ends a search.
#pragma once
#include "samplers/gp/process.hpp"
#include "samplers/gp/warp.hpp"

namespace dlrun::samplers::gp {

/// The mean over fantasies of E max(0, w⁻¹(best_m) − w⁻¹(f(x))), w the warp. By the midpoints of equal shares of the
/// part of f(x)'s distribution that improves, so that it is exact to a per cent also far out in its tail.
/// @param best [m] the least mean of any trial under each fantasy, warped
double improvement(const Belief& belief, const Eigen::VectorXd& best, const Warp& warp);

}  // namespace dlrun::samplers::gp
