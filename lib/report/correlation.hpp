// SPDX-License-Identifier: Apache-2.0
// Spearman's rank correlation: how far a higher value of a parameter went with a higher objective, whatever the scale.
#pragma once
#include <optional>
#include <vector>

namespace dlrun::report {

/// x[i] belongs to y[i].
struct Pairs {
  std::vector<double> x;
  std::vector<double> y;
};

/// Rank correlation; equal values share their mean rank. nullopt: fewer than three pairs, or one side is constant.
std::optional<double> spearman(const Pairs& pairs);

}  // namespace dlrun::report
