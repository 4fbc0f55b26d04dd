// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/fit.hpp"

#include <Eigen/Cholesky>
#include <limits>
#include <nlopt.hpp>

#include "samplers/arrays.hpp"
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
constexpr double kFirstNoise = 0.01;   ///< first value of its variance
constexpr double kLeastNoise = 1e-9;   ///< beside what is added to it in any case
constexpr double kMostLogit = 6;       ///< greatest logit of the share of the axes alone, either way
constexpr double kMostStretch = 5;     ///< greatest logarithm of the stretch, either way
constexpr double kSpread = 4;          ///< variance of the stretch's logarithm, a priori

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

/// The negative logarithm of the posterior density over u = (log θ, log scale, log noise, logit w, log c).
class Posterior {
 public:
  Posterior(const Data& data, const FitOptions& options)
      : data_(data), options_(options), pairs_(data.points.rows()), kernel_(squared()) {}

  double at(const std::vector<double>& u, std::vector<double>& gradient) {
    const Hyperparameters h = parameters(u);
    kernel_.set(h);
    const ArrayXd smooth = kernel_.values();
    MatrixXd factored = covariance(h, smooth);
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(factored);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const VectorXd weights = factor.solve(data_.values);
    const double fit = 0.5 * data_.values.dot(weights) + sum_of_logs(factored.diagonal());
    if (!gradient.empty()) differentiate(h, smooth, inverse_of(factored), weights, gradient);
    return fit + penalty(h);
  }

  Hyperparameters parameters(const std::vector<double>& u) const {
    const double* rest = u.data() + axes();
    Hyperparameters h;
    h.theta = exp_of(Eigen::Map<const ArrayXd>(u.data(), axes()));
    h.scale = arithmetic::exp(rest[kScale]);
    h.noise = arithmetic::exp(rest[kNoise]) + options_.least_noise;
    if (!options_.has_alone) return h;
    h.alone = 1 / (1 + arithmetic::exp(-rest[kAlone]));
    h.stretch = arithmetic::exp(rest[kStretch]);
    return h;
  }

  /// Values of u from theta and a constant for each of the rest.
  std::vector<double> point(double log_theta, double scale, double noise, double alone, double stretch) const {
    std::vector<double> u(static_cast<std::size_t>(axes()), log_theta);
    u.insert(u.end(), {scale, noise, alone, stretch});
    return u;
  }

 private:
  enum Rest : Index { kScale, kNoise, kAlone, kStretch };  ///< places in u behind θ

  Index axes() const { return data_.points.cols(); }

  /// Squared distances of the pairs.
  MatrixXd squared() const {
    MatrixXd out(pairs_.size(), axes());
    const auto& points = data_.points;
    pairs_.columns([&](Index first, Index i, Index j, Index count) {
      for (Index a = 0; a < axes(); ++a) {
        for (Index k = 0; k < count; ++k)
          out(first + k, a) = squared_distance(data_.axes[a], points(i + k, a), points(j, a));
      }
    });
    return out;
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
  void differentiate(const Hyperparameters& h, const ArrayXd& smooth, const MatrixXd& inverse, const VectorXd& weights,
                     std::vector<double>& out) const {
    ArrayXd inner(pairs_.size());
    pairs_.columns([&](Index first, Index i, Index j, Index count) {
      inner.segment(first, count) = inverse.col(j).segment(i, count) - weights[j] * weights.segment(i, count);
    });
    const double trace = inverse.diagonal().sum() - weights.squaredNorm();
    const Kernel::Gradient by = kernel_.gradient(inner);
    for (Index a = 0; a < axes(); ++a) out[a] = by.log_theta[a] - 0.1 / h.theta[a] + 0.1 * h.theta[a];
    double* rest = out.data() + axes();
    rest[kScale] = (inner * smooth).sum() + 0.5 * h.scale * trace - 1 + h.scale;
    rest[kNoise] = (h.noise - options_.least_noise) * (0.5 * trace - 0.1 / h.noise + 30);
    rest[kAlone] = rest[kStretch] = 0;
    if (!options_.has_alone) return;
    rest[kAlone] = h.alone * (1 - h.alone) * by.alone - 0.1 * (1 - 2 * h.alone);
    rest[kStretch] = by.log_stretch + arithmetic::log(h.stretch) / kSpread;
  }

  static double penalty(const Hyperparameters& h) {
    const double lengths = (0.1 * h.theta.array().inverse() + 0.1 * h.theta.array()).sum();
    const double sizes = -arithmetic::log(h.scale) + h.scale - 0.1 * arithmetic::log(h.noise) + 30 * h.noise;
    if (h.alone == 0) return lengths + sizes;
    const double log_stretch = arithmetic::log(h.stretch);
    return lengths + sizes - 0.1 * arithmetic::log(h.alone * (1 - h.alone)) + 0.5 / kSpread * log_stretch * log_stretch;
  }

  const Data& data_;
  FitOptions options_;
  Pairs pairs_;
  Kernel kernel_;
};

double evaluate(const std::vector<double>& u, std::vector<double>& gradient, void* posterior) {
  return static_cast<Posterior*>(posterior)->at(u, gradient);
}

struct Peak {
  std::vector<double> u;
  double least;
};

/// Down from one start; where rounding stops it, the best point so far.
Peak descend(Posterior& posterior, std::vector<double> u, int evaluations) {
  nlopt::opt descent(nlopt::LD_LBFGS, static_cast<unsigned>(u.size()));
  descent.set_min_objective(evaluate, &posterior);
  const double least = arithmetic::log(kLeast), most = arithmetic::log(kMost);
  descent.set_lower_bounds(posterior.point(least, least, arithmetic::log(kLeastNoise), -kMostLogit, -kMostStretch));
  descent.set_upper_bounds(posterior.point(most, most, most, kMostLogit, kMostStretch));
  descent.set_maxeval(evaluations);
  descent.set_ftol_abs(1e-4);
  try {
    double lowest = 0;
    descent.optimize(u, lowest);
  } catch (const std::runtime_error&) {
  }
  std::vector<double> none;
  return {u, posterior.at(u, none)};
}

}  // namespace

Hyperparameters fit(const Data& data, const FitOptions& options) {
  Posterior posterior(data, options);
  Peak best{{}, std::numeric_limits<double>::infinity()};
  for (const double theta : kStarts) {
    const double log_theta = arithmetic::log(theta), log_noise = arithmetic::log(kFirstNoise);
    Peak peak = descend(posterior, posterior.point(log_theta, 0, log_noise, 0, 0), options.evaluations);
    if (best.u.empty() || peak.least < best.least) best = std::move(peak);
  }
  return posterior.parameters(best.u);
}

}  // namespace dlrun::samplers::gp
