// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/log_ei.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "samplers/arrays.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLogRootTwoPi = 0.91893853320467274178;
const double kRootHalfPi = std::sqrt(std::numbers::pi / 2);

/// For z < −25, where erfcx's terms cancel: by the series of h = φ z⁻² (1 − 3 z⁻² …) and Φ = φ |z|⁻¹ (1 − z⁻² …).
LogHs far(const ArrayXd& z) {
  const ArrayXd w = 1 / (z * z);
  const ArrayXd h = 1 - w * (3 - w * (15 - 105 * w));
  return {-z * z / 2 - kLogRootTwoPi + log_of(w) + log_of(h), -z * (1 - w * (1 - w * (3 - 15 * w))) / h};
}

/// For −25 <= z < −1, where φ and z Φ nearly cancel: by Φ/φ = √(π/2) erfcx(−z/√2).
LogHs middle(const ArrayXd& z) {
  const ArrayXd x = -z / std::numbers::sqrt2;
  const ArrayXd mills = kRootHalfPi * exp_of(x * x) * erfc_of(x);
  const ArrayXd h = 1 + z * mills;
  return {-z * z / 2 - kLogRootTwoPi + log_of(h), mills / h};
}

/// For −1 <= z.
LogHs near(const ArrayXd& z) {
  const ArrayXd density = exp_of(-z * z / 2 - kLogRootTwoPi);
  const ArrayXd below = 0.5 * erfc_of(-z / std::numbers::sqrt2);
  const ArrayXd h = density + z * below;
  return {log_of(h), below / h};
}

using Places = std::vector<Index>;

void put(LogHs& all, const Places& places, const LogHs& some) {
  if (places.empty()) return;
  all.values(places) = some.values;
  all.slopes(places) = some.slopes;
}

/// Improvements under the fantasies, by their shares: log of the mean = most + log(sum / m).
struct Mixture {
  double most;
  VectorXd shares;  ///< beside the most
  double sum;
};

Mixture mixture_of(const ArrayXd& logs) {
  Mixture out{logs.maxCoeff(), {}, 0};
  out.shares = exp_of(logs - out.most);
  out.sum = out.shares.sum();
  return out;
}

}  // namespace

LogH log_h(double z) {
  const LogHs one = log_h(ArrayXd::Constant(1, z));
  return {one.values[0], one.slopes[0]};
}

LogHs log_h(const ArrayXd& z) {
  LogHs out{ArrayXd(z.size()), ArrayXd(z.size())};
  Places nears, middles, fars;
  for (Index i = 0; i < z.size(); ++i) (z[i] < -25 ? fars : z[i] < -1 ? middles : nears).push_back(i);
  put(out, fars, far(z(fars)));
  put(out, nears, near(z(nears)));
  put(out, middles, middle(z(middles)));
  return out;
}

double log_ei(const Belief& belief, const VectorXd& best, VectorXd* slope) {
  const double deviation = std::sqrt(belief.variance);
  const VectorXd z = (best - belief.means) / deviation;
  const LogHs logs = log_h(z.array());
  const Mixture mixture = mixture_of(logs.values);
  if (slope != nullptr) {
    const VectorXd by_z = (mixture.shares.array() * logs.slopes / mixture.sum).matrix();
    const VectorXd deviation_slope = belief.variance_slope / (2 * belief.variance);  // slope of log deviation
    *slope = (1 - by_z.dot(z)) * deviation_slope - belief.mean_slopes.transpose() * by_z / deviation;
  }
  return arithmetic::log(deviation) + mixture.most + arithmetic::log(mixture.sum / static_cast<double>(best.size()));
}

VectorXd log_ei(const Eigen::MatrixXd& means, const VectorXd& variances, const VectorXd& best) {
  const Index m = means.rows();
  const VectorXd deviations = variances.cwiseSqrt();
  ArrayXd z(means.size());
  for (Index i = 0; i < means.cols(); ++i) z.segment(i * m, m) = (best - means.col(i)).array() / deviations[i];
  const ArrayXd logs = log_h(z).values;
  ArrayXd most(means.cols()), sums(means.cols());
  for (Index i = 0; i < means.cols(); ++i) {
    const Mixture mixture = mixture_of(logs.segment(i * m, m));
    most[i] = mixture.most;
    sums[i] = mixture.sum;
  }
  return log_of(deviations.array()) + most + log_of(sums / static_cast<double>(m));
}

}  // namespace dlrun::samplers::gp
