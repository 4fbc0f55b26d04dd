// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/fit.hpp"

#include <Eigen/Cholesky>
#include <limits>
#include <nlopt.hpp>

namespace dlrun::samplers::gp {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLeast = 1e-4;  ///< of any hyperparameter but the noise
constexpr double kMost = 1e5;
constexpr double kStarts[] = {1, 30};  ///< of theta: long scales, and those of many hills
constexpr double kNoise = 0.01;        ///< where its variance starts
constexpr double kLeastNoise = 1e-9;   ///< beside what is added to it in any case

/// The negative logarithm of the posterior density over u = (log θ, log scale, log noise).
class Posterior {
 public:
  Posterior(const Data& data, double least_noise) : data_(data), least_noise_(least_noise) {
    for (Index a = 0; a < data.points.cols(); ++a) by_axis_.push_back(pairwise(a));
  }

  double at(const std::vector<double>& u, std::vector<double>& gradient) const {
    const Hyperparameters h = parameters(u);
    const ArrayXXd r2 = weighted(h.theta);
    const MatrixXd smooth = h.scale * matern(r2).matrix();
    MatrixXd covariance = smooth;
    covariance.diagonal().array() += h.noise;
    const Eigen::LLT<MatrixXd> factor(covariance);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const VectorXd weights = factor.solve(data_.values);
    if (!gradient.empty()) differentiate(h, r2, smooth, factor, weights, gradient);
    const double fit = 0.5 * data_.values.dot(weights) + factor.matrixLLT().diagonal().array().log().sum();
    return fit + penalty(h);
  }

  Hyperparameters parameters(const std::vector<double>& u) const {
    const Index d = data_.points.cols();
    Hyperparameters h;
    h.theta = Eigen::Map<const VectorXd>(u.data(), d).array().exp();
    h.scale = std::exp(u[d]);
    h.noise = std::exp(u[d + 1]) + least_noise_;
    return h;
  }

 private:
  ArrayXXd pairwise(Index axis) const {
    const Index n = data_.points.rows();
    ArrayXXd out(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        out(i, j) = squared_distance(data_.axes[axis], data_.points(i, axis), data_.points(j, axis));
      }
    }
    return out;
  }

  ArrayXXd weighted(const VectorXd& theta) const {
    ArrayXXd r2 = ArrayXXd::Zero(data_.points.rows(), data_.points.rows());
    for (Index a = 0; a < theta.size(); ++a) r2 += theta[a] * by_axis_[a];
    return r2;
  }

  /// Half the trace of (K⁻¹ − αα') ∂K for each parameter (Rasmussen and Williams 2006, 5.9), and the priors' share.
  void differentiate(const Hyperparameters& h, const ArrayXXd& r2, const MatrixXd& smooth,
                     const Eigen::LLT<MatrixXd>& factor, const VectorXd& weights, std::vector<double>& out) const {
    const Index n = r2.rows();
    const Index d = h.theta.size();
    MatrixXd inner = factor.solve(MatrixXd::Identity(n, n));
    inner.noalias() -= weights * weights.transpose();
    const ArrayXXd slope = h.scale * matern_slope(r2) * inner.array();
    for (Index a = 0; a < d; ++a) {
      const double likelihood = 0.5 * h.theta[a] * (slope * by_axis_[a]).sum();
      out[a] = likelihood - 0.1 / h.theta[a] + 0.1 * h.theta[a];
    }
    out[d] = 0.5 * (inner.array() * smooth.array()).sum() - 1 + h.scale;
    out[d + 1] = (h.noise - least_noise_) * (0.5 * inner.trace() - 0.1 / h.noise + 30);
  }

  static double penalty(const Hyperparameters& h) {
    const double lengths = (0.1 * h.theta.array().inverse() + 0.1 * h.theta.array()).sum();
    return lengths - std::log(h.scale) + h.scale - 0.1 * std::log(h.noise) + 30 * h.noise;
  }

  const Data& data_;
  double least_noise_;
  std::vector<ArrayXXd> by_axis_;
};

double evaluate(const std::vector<double>& u, std::vector<double>& gradient, void* posterior) {
  return static_cast<const Posterior*>(posterior)->at(u, gradient);
}

struct Peak {
  std::vector<double> u;
  double least;
};

/// Down from one start; where rounding stops it, the best point so far.
Peak descend(Posterior& posterior, std::vector<double> u, int evaluations) {
  nlopt::opt descent(nlopt::LD_LBFGS, static_cast<unsigned>(u.size()));
  descent.set_min_objective(evaluate, &posterior);
  std::vector<double> least_u(u.size(), std::log(kLeast));
  least_u.back() = std::log(kLeastNoise);
  descent.set_lower_bounds(least_u);
  descent.set_upper_bounds(std::log(kMost));
  descent.set_maxeval(evaluations);
  descent.set_ftol_abs(1e-4);
  try {
    double least = 0;
    descent.optimize(u, least);
  } catch (const std::runtime_error&) {
  }
  std::vector<double> none;
  return {u, posterior.at(u, none)};
}

}  // namespace

Hyperparameters fit(const Data& data, const FitOptions& options) {
  Posterior posterior(data, options.least_noise);
  Peak best{{}, std::numeric_limits<double>::infinity()};
  for (const double theta : kStarts) {
    std::vector<double> u(static_cast<std::size_t>(data.points.cols()) + 2, std::log(theta));
    u[u.size() - 2] = 0;
    u.back() = std::log(kNoise);
    Peak peak = descend(posterior, u, options.evaluations);
    if (best.u.empty() || peak.least < best.least) best = std::move(peak);
  }
  return posterior.parameters(best.u);
}

}  // namespace dlrun::samplers::gp
