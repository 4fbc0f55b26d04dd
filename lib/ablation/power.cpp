// SPDX-License-Identifier: Apache-2.0
#include "ablation/power.hpp"

#include <algorithm>

#include "statistics/power.hpp"

namespace dlrun::ablation {

namespace {

constexpr double kFourOfFive = 0.8;

/// Comparisons that the strictest step of the correction divides alpha by.
int divided_by(const Design& design) { return design.correction == "none" ? 1 : std::max(design.comparisons, 1); }

}  // namespace

int least_replicates(const Design& design) {
  if (design.test == "paired_t") return 2;
  return std::max(2, statistics::least_replicates_by_floor(divided_by(design), design.alpha));
}

Power power_of(const Design& design) {
  const double alpha = design.alpha / divided_by(design);
  const double share = design.test_share;
  return {statistics::paired_t_power(1, design.replicates, alpha, share),
          statistics::paired_t_power(2, design.replicates, alpha, share),
          statistics::least_replicates_by_power(1, alpha, kFourOfFive, share)};
}

double least_contribution(const Design& design, int examples) {
  return statistics::least_effect_by_power(examples, design.alpha / divided_by(design), kFourOfFive);
}

}  // namespace dlrun::ablation
