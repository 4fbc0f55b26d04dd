// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/fit.hpp"

#include <Eigen/Cholesky>
#include <limits>
#include <nlopt.hpp>

#include "samplers/gp/inverse.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLeast = 1e-4;  ///< lower end of any hyperparameter but the noise
constexpr double kMost = 1e5;
constexpr double kStarts[] = {1, 30};  ///< first values of theta: long scales, and those of many hills
constexpr double kNoise = 0.01;        ///< first value of its variance
constexpr double kLeastNoise = 1e-9;   ///< beside what is added to it in any case

/// The pairs of n things, (1, 0), (2, 0), …, (2, 1), …: what stands below the diagonal of a symmetric matrix.
class Pairs {
 public:
  explicit Pairs(Index count) : count_(count) {}
  Index size() const { return count_ * (count_ - 1) / 2; }

  /// Calls `visit(first, i, j, m)`: the m pairs from place `first` on are (i, j), (i + 1, j), ….
  template <class Visit>
  void columns(Visit visit) const {
    Index first = 0;
    for (Index j = 0; j + 1 < count_; first += count_ - 1 - j, ++j) visit(first, j + 1, j, count_ - 1 - j);
  }

 private:
  Index count_;
};

/// The negative logarithm of the posterior density over u = (log θ, log scale, log noise).
class Posterior {
 public:
  Posterior(const Data& data, double least_noise) : data_(data), least_noise_(least_noise), pairs_(data.points.rows()) {
    for (Index a = 0; a < data.points.cols(); ++a) by_axis_.push_back(pairwise(a));
  }

  double at(const std::vector<double>& u, std::vector<double>& gradient) const {
    const Hyperparameters h = parameters(u);
    const ArrayXd root = (5 * weighted(h.theta)).sqrt(), fall = exp_of(-root);
    const ArrayXd smooth = h.scale * (1 + root + root.square() / 3) * fall;  // kernel.hpp
    MatrixXd factored = covariance(h, smooth);
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(factored);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const VectorXd weights = factor.solve(data_.values);
    const double fit = 0.5 * data_.values.dot(weights) + sum_of_logs(factored.diagonal());
    const ArrayXd slope = -5.0 / 6 * h.scale * (1 + root) * fall;
    if (!gradient.empty()) differentiate(h, smooth, slope, inverse_of(factored), weights, gradient);
    return fit + penalty(h);
  }

  Hyperparameters parameters(const std::vector<double>& u) const {
    const Index d = data_.points.cols();
    Hyperparameters h;
    h.theta = exp_of(Eigen::Map<const ArrayXd>(u.data(), d));
    h.scale = arithmetic::exp(u[d]);
    h.noise = arithmetic::exp(u[d + 1]) + least_noise_;
    return h;
  }

 private:
  ArrayXd pairwise(Index axis) const {
    ArrayXd out(pairs_.size());
    const auto& points = data_.points;
    pairs_.columns([&](Index first, Index i, Index j, Index count) {
      for (Index k = 0; k < count; ++k) {
        out[first + k] = squared_distance(data_.axes[axis], points(i + k, axis), points(j, axis));
      }
    });
    return out;
  }

  ArrayXd weighted(const VectorXd& theta) const {
    ArrayXd r2 = ArrayXd::Zero(pairs_.size());
    for (Index a = 0; a < theta.size(); ++a) r2 += theta[a] * by_axis_[a];
    return r2;
  }

  /// Lower triangle of the covariance.
  MatrixXd covariance(const Hyperparameters& h, const ArrayXd& smooth) const {
    MatrixXd out(data_.points.rows(), data_.points.rows());
    out.diagonal().setConstant(h.scale + h.noise);
    pairs_.columns([&](Index first, Index i, Index j, Index count) {
      out.col(j).segment(i, count) = smooth.segment(first, count);
    });
    return out;
  }

  /// Half the trace of (K⁻¹ − αα') ∂K for each parameter (Rasmussen and Williams 2006, 5.9), and the priors' share.
  /// Each pair stands in K twice.
  void differentiate(const Hyperparameters& h, const ArrayXd& smooth, const ArrayXd& slope, const MatrixXd& inverse,
                     const VectorXd& weights, std::vector<double>& out) const {
    ArrayXd inner(pairs_.size());
    pairs_.columns([&](Index first, Index i, Index j, Index count) {
      inner.segment(first, count) = inverse.col(j).segment(i, count) - weights[j] * weights.segment(i, count);
    });
    const double trace = inverse.diagonal().sum() - weights.squaredNorm();
    const Index d = h.theta.size();
    const ArrayXd share = slope * inner;
    for (Index a = 0; a < d; ++a) {
      out[a] = h.theta[a] * (share * by_axis_[a]).sum() - 0.1 / h.theta[a] + 0.1 * h.theta[a];
    }
    out[d] = (inner * smooth).sum() + 0.5 * h.scale * trace - 1 + h.scale;
    out[d + 1] = (h.noise - least_noise_) * (0.5 * trace - 0.1 / h.noise + 30);
  }

  static double penalty(const Hyperparameters& h) {
    const double lengths = (0.1 * h.theta.array().inverse() + 0.1 * h.theta.array()).sum();
    return lengths - arithmetic::log(h.scale) + h.scale - 0.1 * arithmetic::log(h.noise) + 30 * h.noise;
  }

  const Data& data_;
  double least_noise_;
  Pairs pairs_;
  std::vector<ArrayXd> by_axis_;  ///< squared distances of the pairs
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
  std::vector<double> least_u(u.size(), arithmetic::log(kLeast));
  least_u.back() = arithmetic::log(kLeastNoise);
  descent.set_lower_bounds(least_u);
  descent.set_upper_bounds(arithmetic::log(kMost));
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
    std::vector<double> u(static_cast<std::size_t>(data.points.cols()) + 2, arithmetic::log(theta));
    u[u.size() - 2] = 0;
    u.back() = arithmetic::log(kNoise);
    Peak peak = descend(posterior, u, options.evaluations);
    if (best.u.empty() || peak.least < best.least) best = std::move(peak);
  }
  return posterior.parameters(best.u);
}

}  // namespace dlrun::samplers::gp
