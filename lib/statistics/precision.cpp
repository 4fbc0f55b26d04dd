// SPDX-License-Identifier: Apache-2.0
#include "statistics/precision.hpp"

#include <cmath>

namespace dlrun::statistics {

double at_precision(double difference, double largest) {
  if (!std::isfinite(difference) || !std::isfinite(largest) || largest == 0) return difference;
  constexpr int kDigits = 49;  // a double has 53
  const double unit = std::ldexp(1.0, std::ilogb(largest) - kDigits + 1);
  return unit > 0 ? std::round(difference / unit) * unit : difference;
}

}  // namespace dlrun::statistics
