// SPDX-License-Identifier: Apache-2.0
#include "samplers/cma_distribution.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "statistics/normal.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

namespace {

using Eigen::VectorXd;

/// The distance in standard deviations that is passed, to one side, with probability p.
double distance_of(double p) { return -statistics::normal_quantile(p); }

double clamped_distance(double p) { return std::max(distance_of(std::clamp(p, 1e-12, 0.5)), 1e-3); }

}  // namespace

CmaDistribution::CmaDistribution(const VectorXd& mean, double sigma, int lambda, int fresh)
    : lambda_(lambda), mu_(lambda / 2), weights_(lambda), mean_(mean), sigma_(sigma) {
  const auto n = static_cast<double>(mean.size());
  for (int i = 0; i < lambda; ++i) weights_(i) = arithmetic::log((lambda + 1) / 2.0) - arithmetic::log(i + 1.0);
  const auto sum_squared = [](const auto& w) { return w.sum() * w.sum() / w.squaredNorm(); };
  mu_eff_ = sum_squared(weights_.head(mu_));
  const double mu_eff_minus = sum_squared(weights_.tail(lambda - mu_));
  c_1_ = 2 / ((n + 1.3) * (n + 1.3) + mu_eff_);
  c_mu_ = std::min(1 - c_1_ - 1e-8, 2 * (mu_eff_ - 2 + 1 / mu_eff_) / ((n + 2) * (n + 2) + mu_eff_));
  c_sigma_ = (mu_eff_ + 2) / (n + mu_eff_ + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (n + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu_eff_ / n) / (n + 4 + 2 * mu_eff_ / n);
  for (double* rate : {&c_1_, &c_mu_, &c_sigma_, &c_c_}) *rate *= std::sqrt(static_cast<double>(fresh) / lambda);
  chi_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  const double negative =
      std::min({1 + c_1_ / c_mu_, 1 + 2 * mu_eff_minus / (mu_eff_ + 2), (1 - c_1_ - c_mu_) / (n * c_mu_)});
  const double positive_sum = weights_.cwiseMax(0).sum();
  const double negative_sum = -weights_.cwiseMin(0).sum();
  for (double& w : weights_) w = w >= 0 ? w / positive_sum : negative * w / negative_sum;
  p_sigma_ = p_c_ = VectorXd::Zero(mean.size());
  scale_ = lengths_ = VectorXd::Ones(mean.size());
  covariance_ = axes_ = Eigen::MatrixXd::Identity(mean.size(), mean.size());
}

VectorXd CmaDistribution::at(const VectorXd& z) const {
  return mean_ + sigma_ * scale_.cwiseProduct(axes_ * lengths_.cwiseProduct(z));
}

VectorXd CmaDistribution::whitened(const VectorXd& y) const {
  return axes_ * (axes_.transpose() * y).cwiseQuotient(lengths_);
}

void CmaDistribution::update(const std::vector<CmaPoint>& points) {
  const auto n = static_cast<double>(mean_.size());
  const double longest = std::sqrt(n) + 2 * n / (n + 2);
  Eigen::MatrixXd y(mean_.size(), lambda_);
  VectorXd squares(lambda_);
  for (int i = 0; i < lambda_; ++i) {
    VectorXd step = (points[i].x - mean_).cwiseQuotient(scale_) / sigma_;
    double length = whitened(step).norm();
    if (!points[i].is_own && length > longest) {
      step *= longest / length;
      length = longest;
    }
    y.col(i) = step;
    squares(i) = length * length;
  }
  const VectorXd step = y.leftCols(mu_) * weights_.head(mu_);
  mean_ += sigma_ * scale_.cwiseProduct(step);
  ++generation_;

  p_sigma_ = (1 - c_sigma_) * p_sigma_ + std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_) * whitened(step);
  const double norm = p_sigma_.norm();
  const double settled = std::sqrt(1 - arithmetic::pow(1 - c_sigma_, 2.0 * generation_));
  const double h = norm / settled < (1.4 + 2 / (n + 1)) * chi_ ? 1 : 0;
  p_c_ = (1 - c_c_) * p_c_ + h * std::sqrt(c_c_ * (2 - c_c_) * mu_eff_) * step;

  const double lost = (1 - h) * c_c_ * (2 - c_c_);
  VectorXd w = weights_;
  for (int i = 0; i < lambda_; ++i) {
    if (w(i) < 0) w(i) *= n / std::max(squares(i), 1e-8);
  }
  covariance_ *= 1 + c_1_ * lost - c_1_ - c_mu_ * weights_.sum();
  covariance_ += c_1_ * p_c_ * p_c_.transpose() + c_mu_ * y * w.asDiagonal() * y.transpose();
  sigma_ *= arithmetic::exp(std::min(1.0, c_sigma_ / d_sigma_ * (norm / chi_ - 1)));
  decompose();
}

void CmaDistribution::decompose() {
  covariance_ = 0.5 * (covariance_ + covariance_.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_);
  const double largest = std::max(solver.eigenvalues().maxCoeff(), 1e-30);
  const VectorXd values = solver.eigenvalues().cwiseMax(1e-14 * largest);
  axes_ = solver.eigenvectors();
  lengths_ = values.cwiseSqrt();
  covariance_ = axes_ * values.asDiagonal() * axes_.transpose();
}

double CmaDistribution::spread(int axis) const { return sigma_ * scale_(axis) * std::sqrt(covariance_(axis, axis)); }

void CmaDistribution::keep_margin(int axis, const Thresholds& thresholds) {
  const auto [below, above] = thresholds;
  const double alpha = 1.0 / (static_cast<double>(mean_.size()) * lambda_);
  double& m = mean_(axis);
  const double s = spread(axis);
  if (std::isnan(below) || std::isnan(above)) {  // at an end of the domain
    const double edge = std::isnan(below) ? above : below;
    const double most = distance_of(alpha) * s;
    m = edge + std::clamp(m - edge, -most, most);
    return;
  }
  const double low = statistics::normal_below((below - m) / s);
  const double high = statistics::normal_below((m - above) / s);
  const double low1 = std::max(low, alpha / 2);
  const double high1 = std::max(high, alpha / 2);
  if (low1 == low && high1 == high) return;
  const double middle = 1 - low - high;
  const double excess = (1 - low1 - high1 - middle) / (low1 + high1 + middle - 1.5 * alpha);
  const double to_low = clamped_distance(low1 + excess * (low1 - alpha / 2));
  const double to_high = clamped_distance(high1 + excess * (high1 - alpha / 2));
  m = (below * to_high + above * to_low) / (to_low + to_high);
  scale_(axis) *= (above - below) / (to_low + to_high) / s;
}

bool CmaDistribution::has_converged(double tolerance) const {
  const double longest = lengths_.maxCoeff();
  return sigma_ * longest * scale_.maxCoeff() < tolerance || longest > 1e7 * lengths_.minCoeff() || sigma_ > 1e4;
}

}  // namespace dlrun::samplers
