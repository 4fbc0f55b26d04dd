// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/process.hpp"

#include <algorithm>

namespace dlrun::samplers::gp {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLeastVariance = 1e-12;

Data with_pending(Data data, const std::vector<Coordinates>& pending) {
  const Index n = data.points.rows();
  data.points.conservativeResize(n + static_cast<Index>(pending.size()), Eigen::NoChange);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    data.points.row(n + static_cast<Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(pending[i].data(), static_cast<Index>(pending[i].size()));
  }
  return data;
}

}  // namespace

Process::Process(Data data, Hyperparameters parameters, const std::vector<Coordinates>& pending,
                 const MatrixXd& normals)
    : data_(with_pending(std::move(data), pending)), parameters_(std::move(parameters)) {
  factorise();
  const Index known = data_.values.size();
  const Index p = data_.points.rows() - known;
  const Index m = p > 0 ? normals.cols() : 1;
  // With K = LL', L's lower rows give values under way from normals: y_p = L_pn z_n + L_pp e, where L_nn z_n = y_n.
  const MatrixXd lower = factor_.matrixL();
  MatrixXd z(known + p, m);
  z.topRows(known) =
      lower.topLeftCorner(known, known).triangularView<Eigen::Lower>().solve(data_.values).replicate(1, m);
  if (p > 0) z.bottomRows(p) = normals;
  weights_ = factor_.matrixU().solve(z);
}

/// Points that nearly coincide may leave a matrix without a factor in floating point: more noise gives it one.
void Process::factorise() {
  std::vector<Coordinates> own;
  for (const auto& row : data_.points.rowwise()) own.emplace_back(row.begin(), row.end());
  const MatrixXd smooth = covariances(own);
  const auto compute = [&] {
    MatrixXd whole = smooth;
    whole.diagonal().array() += parameters_.noise;
    factor_.compute(whole);
    return factor_.info() == Eigen::Success;
  };
  while (!compute()) parameters_.noise *= 10;
}

Kernel Process::kernel(const Coordinates& point) const {
  Kernel out(distances(data_, point));
  out.set(parameters_);
  return out;
}

MatrixXd Process::covariances(const std::vector<Coordinates>& points) const {
  MatrixXd all(data_.points.rows(), static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) all.col(static_cast<Index>(i)) = kernel(points[i]).values();
  return all;
}

Belief Process::at(const Coordinates& point, bool with_slopes) const {
  const Kernel kernel = this->kernel(point);
  const VectorXd k = kernel.values();
  const VectorXd half = factor_.matrixL().solve(k);
  Belief belief;
  belief.means = weights_.transpose() * k;
  belief.variance = std::max(parameters_.scale - half.squaredNorm(), kLeastVariance);
  if (!with_slopes) return belief;
  const Index d = data_.points.cols();
  const VectorXd full = factor_.matrixU().solve(half);
  belief.mean_slopes = MatrixXd::Zero(weights_.cols(), d);
  belief.variance_slope = VectorXd::Zero(d);
  for (Index a = 0; a < d; ++a) {
    if (data_.axes[a].is_categorical || std::isnan(point[a])) continue;
    const auto step = data_.points.col(a).array();
    const VectorXd dk = 2 * parameters_.theta[a] * kernel.slopes(a) * step.isNaN().select(0, point[a] - step);
    belief.mean_slopes.col(a) = weights_.transpose() * dk;
    belief.variance_slope[a] = -2 * full.dot(dk);
  }
  return belief;
}

void Process::at(const std::vector<Coordinates>& points, MatrixXd& means, VectorXd& variances) const {
  MatrixXd k = covariances(points);
  means = weights_.transpose() * k;
  factor_.matrixL().solveInPlace(k);
  variances = (parameters_.scale - k.colwise().squaredNorm().array()).max(kLeastVariance);
}

/// K_smooth w = (K − noise) w = y − noise w.
MatrixXd Process::own_means() const {
  const MatrixXd upper = factor_.matrixU() * weights_;
  const MatrixXd values = factor_.matrixL() * upper;
  return (values - parameters_.noise * weights_).transpose();
}

}  // namespace dlrun::samplers::gp
