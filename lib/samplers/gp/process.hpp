// SPDX-License-Identifier: Apache-2.0
// A Gaussian process given trials: its expectation at a point, and how sure it is.
#pragma once
#include <Eigen/Cholesky>

#include "samplers/gp/data.hpp"

namespace dlrun::samplers::gp {

/// Mean and variance of the function at a point, for each of m fantasies of pending trials.
struct Belief {
  Eigen::VectorXd means;  ///< [m]
  double variance = 0;
  Eigen::MatrixXd mean_slopes;     ///< [m, d] by the coordinates of continuous axes; 0 elsewhere
  Eigen::VectorXd variance_slope;  ///< [d]
};

/// Trials under way have no value yet: they get m fantasies, drawn jointly from the process given the others, and every
/// fantasy gives a mean of its own, with one variance (Snoek, Larochelle and Adams 2012, section 3.2).
class Process {
 public:
  /// @param pending [p] coordinates of trials under way
  /// @param normals [p, m] independent standard normal numbers; m = 1 where nothing is pending
  Process(Data data, Hyperparameters parameters, const std::vector<Coordinates>& pending,
          const Eigen::MatrixXd& normals);

  Belief at(const Coordinates& point, bool with_slopes) const;
  /// Means [m, q] and variances [q] of many points at once.
  void at(const std::vector<Coordinates>& points, Eigen::MatrixXd& means, Eigen::VectorXd& variances) const;
  /// Means of the trials themselves, those under way too: [m, n + p].
  Eigen::MatrixXd own_means() const;
  const Data& data() const { return data_; }

 private:
  void factorise();
  /// The kernel of a point with all trials.
  Kernel kernel(const Coordinates& point) const;
  /// Covariances of the function at q points with the function at all trials: [n + p, q].
  Eigen::MatrixXd covariances(const std::vector<Coordinates>& points) const;

  Data data_;  ///< data with pending trials behind the rest
  Hyperparameters parameters_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::MatrixXd weights_;  ///< [n + p, m]
};

}  // namespace dlrun::samplers::gp
