// SPDX-License-Identifier: Apache-2.0
// Beta numbers out of gamma numbers (Marsaglia, Tsang, ACM TOMS 2000), worked out in logarithms, for at small alpha the
// gamma numbers themselves are below every double.
#include <algorithm>
#include <cmath>

#include "data/augment/step.hpp"

namespace dlrun::data {

namespace {

/// log of a Gamma(shape, 1) number; of shape < 1 by Gamma(shape + 1) * U^(1 / shape), as there in section 6.
double draw_log_gamma(double shape, RandomStream& stream) {
  const double boost = shape < 1 ? std::log(1 - stream.uniform()) / shape : 0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    const double u = 1 - stream.uniform();
    if (v > 0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v) + boost;
  }
}

}  // namespace

double draw_beta(double alpha, RandomStream& stream) {
  const double a = draw_log_gamma(alpha, stream), b = draw_log_gamma(alpha, stream);
  return 1 / (1 + std::exp(std::min(b - a, 700.0)));
}

}  // namespace dlrun::data
