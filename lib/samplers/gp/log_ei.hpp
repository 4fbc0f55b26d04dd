// SPDX-License-Identifier: Apache-2.0
// The logarithm of the expected improvement, exact also where the improvement is hopelessly small (Ament, Daulton,
// Eriksson, Balandat and Bakshy, NeurIPS 2023, arXiv:2310.20708, section 4.1).
#pragma once
#include "samplers/gp/process.hpp"

namespace dlrun::samplers::gp {

/// log(φ(z) + z Φ(z)) and its derivative Φ / (φ + z Φ).
struct LogH {
  double value, slope;
};
LogH log_h(double z);
/// The same of many z at once, with the same bits.
struct LogHs {
  Eigen::ArrayXd values, slopes;
};
LogHs log_h(const Eigen::ArrayXd& z);

/// log of the mean over fantasies of E max(0, best_m − f(x)), f(x) as believed under fantasy m.
/// @param best  [m] the least mean of any trial under each fantasy
/// @param slope [d] set to its derivative by the coordinates, unless null. REQUIRES then: the belief has slopes.
double log_ei(const Belief& belief, const Eigen::VectorXd& best, Eigen::VectorXd* slope = nullptr);

/// The same of q points at once, with the same bits. @param means [m, q] and variances [q] as Process::at() gives them
Eigen::VectorXd log_ei(const Eigen::MatrixXd& means, const Eigen::VectorXd& variances, const Eigen::VectorXd& best);

}  // namespace dlrun::samplers::gp
