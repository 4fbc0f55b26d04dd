// SPDX-License-Identifier: Apache-2.0
// Effects that a number of replicates can show, and replicates that an effect takes.
#pragma once
#include <optional>

namespace dlrun::statistics {

/// The probability that the two-sided paired t test at `alpha` finds an effect of d_z standard deviations of the
/// differences (noncentral t, Cohen 1988).
/// @param test_share  of EffectOptions: replicates with splits of their own share luck that no number of them takes
/// away REQUIRES: n >= 2.
double paired_t_power(double d_z, int n, double alpha, double test_share = 0);

/// The probability that the equivalence test calls an effect of d_z negligible, where the region reaches `rope`
/// standard deviations of the differences either way (Phillips 1990). REQUIRES: n >= 2, rope > 0.
double equivalence_power(double rope, int n, double alpha, double d_z = 0);

/// d_z of a difference of `d` standard deviations of a run, where base and variant correlate.
double paired_size(double d, double correlation);

inline constexpr int kMostReplicates = 10'000;

/// The least n at which signs alone can be significant after Holm over k comparisons: 2 / 2^n <= alpha / k.
/// REQUIRES: k >= 1.
int least_replicates_by_floor(int k, double alpha);
/// The least n that finds an effect of d_z with this power; nullopt: more than kMostReplicates.
std::optional<int> least_replicates_by_power(double d_z, double alpha, double power, double test_share = 0);
/// The least d_z that n differences show with this power, to four digits. REQUIRES: n >= 2, alpha < power < 1.
double least_effect_by_power(int n, double alpha, double power);
/// The least n at which the equivalence test finds no effect with this power, where there is none.
std::optional<int> least_replicates_by_equivalence(double rope, double alpha, double power);

}  // namespace dlrun::statistics
