// SPDX-License-Identifier: Apache-2.0
#include "data/gamma.hpp"

#include <cmath>

namespace dlrun::data {

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

}  // namespace dlrun::data
