// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/improvement.hpp"

#include <cmath>

#include "statistics/normal.hpp"

namespace dlrun::samplers::gp {

namespace {

constexpr int kShares = 64;
constexpr double kLeastChance = 1e-290;  // below it shares have no quantile in double precision

}  // namespace

double improvement(const Belief& belief, const Eigen::VectorXd& best, const Warp& warp) {
  const double deviation = std::sqrt(belief.variance);
  double sum = 0;
  for (Eigen::Index m = 0; m < best.size(); ++m) {
    const double chance = statistics::normal_below((best[m] - belief.means[m]) / deviation);
    if (!(chance > kLeastChance)) continue;
    const double from = warp.inverse(best[m]);
    for (int k = 0; k < kShares; ++k) {
      const double z = statistics::normal_quantile(chance * (k + 0.5) / kShares);
      sum += chance / kShares * (from - warp.inverse(belief.means[m] + deviation * z));
    }
  }
  return sum / static_cast<double>(best.size());
}

}  // namespace dlrun::samplers::gp
