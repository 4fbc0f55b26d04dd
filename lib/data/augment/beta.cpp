// SPDX-License-Identifier: Apache-2.0
// Beta numbers out of gamma numbers, worked out in logarithms.
#include <algorithm>
#include <cmath>

#include "data/augment/step.hpp"
#include "data/gamma.hpp"

namespace dlrun::data {

double draw_beta(double alpha, RandomStream& stream) {
  const double a = draw_log_gamma(alpha, stream), b = draw_log_gamma(alpha, stream);
  return 1 / (1 + std::exp(std::min(b - a, 700.0)));
}

}  // namespace dlrun::data
