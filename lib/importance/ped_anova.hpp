// SPDX-License-Identifier: Apache-2.0
// Parameters to which the best trials owe their place.
#pragma once
#include "importance/evidence.hpp"

namespace dlrun::importance {

struct PedAnovaOptions {
  double best = 0.1;       ///< part of the trials whose distribution is held against all trials': gamma'
  std::size_t steps = 50;  ///< points of the grid, at most
  int resamples = 100;     ///< resamples of the trials, for the intervals
  int permutations = 100;  ///< draws of other trials as the best ones, for Importances::chance
  std::uint64_t seed = 0;
};

/// PED-ANOVA (Watanabe, Bansal and Hutter, IJCAI 2023, arXiv:2304.10255) in its form for conditional parameters
/// (arXiv:2601.20800): the Pearson divergence of a parameter's density among the best trials from that among all, each
/// where it is active, times alpha^2 / beta, the parts of the best and of all trials in which it is. Densities are
/// Parzen estimates by Scott's rule on a grid, as Optuna 5 has them. Shares of the sum over all parameters; intervals
/// are the middle 90 % of what trials drawn with replacement say, and hold the share.
///
/// `chance` is how often the divergences, summed up, are as large where the places of the trials are permuted.
///
/// Trials with a part of the budget rank behind those with more of it. It needs no model and is quick, and asks about
/// the best trials alone; but it sees each parameter by itself, and where the sampler looked more often.
Importances ped_anova(const Evidence& evidence, const PedAnovaOptions& options = {});

}  // namespace dlrun::importance
