// SPDX-License-Identifier: Apache-2.0
// How likely a point is feasible.
#pragma once
#include <vector>

#include "samplers/gp/process.hpp"

namespace dlrun::samplers::gp {

/// Belief about one bound of the study: a process of how far trials lie beyond it, and the value of that process up to
/// which a point is feasible.
struct Limit {
  Process process;
  double most = 0;
};

/// Sum over the limits of log P(value <= most) (Gardner et al., ICML 2014: the factors of the constrained expected
/// improvement), the limits taken as independent.
/// @param slope [d] its derivative by the coordinates is added to it, unless null
double log_feasibility(const std::vector<Limit>& limits, const Coordinates& point, Eigen::VectorXd* slope = nullptr);

/// log Φ(z) and its derivative, exact where Φ itself is 0.
struct LogCdf {
  double value, slope;
};
LogCdf log_cdf(double z);

}  // namespace dlrun::samplers::gp
