// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/improvement.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace dlrun::samplers::gp {

namespace {

constexpr int kShares = 64;
constexpr double kLeastChance = 1e-290;  // below it shares have no quantile in double precision

}  // namespace

double improvement(const Belief& belief, const Eigen::VectorXd& best, const Warp& warp) {
  const boost::math::normal normal;
  const double deviation = std::sqrt(belief.variance);
  double sum = 0;
  for (Eigen::Index m = 0; m < best.size(); ++m) {
    const double chance = 0.5 * std::erfc((belief.means[m] - best[m]) / deviation / std::numbers::sqrt2);
    if (!(chance > kLeastChance)) continue;
    const double from = warp.inverse(best[m]);
    for (int k = 0; k < kShares; ++k) {
      const double z = boost::math::quantile(normal, chance * (k + 0.5) / kShares);
      sum += chance / kShares * (from - warp.inverse(belief.means[m] + deviation * z));
    }
  }
  return sum / static_cast<double>(best.size());
}

}  // namespace dlrun::samplers::gp
