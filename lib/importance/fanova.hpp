// SPDX-License-Identifier: Apache-2.0
// Shares of the objective's variance.
#pragma once
#include "importance/evidence.hpp"
#include "importance/forest.hpp"

namespace dlrun::importance {

/// Functional ANOVA of random forests (Hutter, Hoos and Leyton-Brown, ICML 2014; V_U as there): how much of the
/// variance over the whole space the mean over all other parameters keeps, for each parameter, and what pairs have
/// beyond that. Exact for every tree: its marginals are step functions. Shares are means over the trees, intervals the
/// middle 90 % of them, each of which saw another draw of the trials.
///
/// Differs from Optuna 5: coordinates are logarithmic on a log scale and categories stay whole; trials of all branches
/// of a conditional space count, those with a part of the budget too (shares are those at the whole budget); leaves
/// hold at least three trials, so that a tree does not take noise for an interaction. Objectives beyond the outer fence
/// on the bad side (third quartile + 3 interquartile ranges) count as the fence: a few that diverged would be all of
/// the variance.
Importances fanova(const Evidence& evidence, const ForestOptions& options = {});

/// Objectives as forests see them: beyond the outer fence they are moved to it. `moved` counts them, where asked.
std::vector<double> fenced(const std::vector<double>& objectives, std::size_t* moved = nullptr);

}  // namespace dlrun::importance
