// SPDX-License-Identifier: Apache-2.0
// Value of the best of several, without the luck of having been chosen. For users: docs/winner.md.
#pragma once
#include <limits>
#include <optional>
#include <vector>

namespace dlrun::statistics {

/// Noise in the measured values of the contenders, as standard deviations.
struct Noise {
  double own = 0;     ///< part of each contender: decides who is chosen
  double shared = 0;  ///< part common to all, as of the same validation rows: widens the interval only
  double degrees = std::numeric_limits<double>::infinity();  ///< degrees of freedom of `own`
};

/// A value with the interval that holds the chosen contender's true value in 95 % of searches.
struct Shrunken {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Estimates the true value of the contender with the highest measured value. No distribution of the true values is
/// assumed, so a search may be skewed by bad settings; an empirical Bayes estimate with a normal prior is not unbiased
/// there.
///
/// Noise e is added to the values y, with gamma times the variance of their luck. The contender is chosen by y + e, and
/// judged by y - e / gamma, which is independent of it for normal luck, so its mean over e is an unbiased estimate of
/// the true value of that choice: the coupled bootstrap (Oliveira, Lei and Tibshirani 2021, arXiv:2111.09447), data
/// fission (Leiner, Duan, Wasserman and Ramdas 2023, arXiv:2112.11079). The mean is an integral over the highest y + e.
/// Choosing with noise chooses worse, so gamma = 1/2 and 1 are extrapolated to 0, linearly in log(1 + gamma).
///
/// REQUIRES: not empty, all finite. The value is never above the highest one.
Shrunken shrunken_best(const std::vector<double>& values, const Noise& luck);

/// Noise in the means of contenders that were all measured by the same members (replicates or folds): a member's effect
/// on all of them is shared, and the rest is each one's own. nullopt: fewer than two contenders or members.
/// @param values  [contender][member]; REQUIRES: as many of each.
std::optional<Noise> luck_of_members(const std::vector<std::vector<double>>& values);

}  // namespace dlrun::statistics
