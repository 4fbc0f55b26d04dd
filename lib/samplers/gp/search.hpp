// SPDX-License-Identifier: Apache-2.0
// Search for the highest expected improvement.
#pragma once
#include <vector>

#include "samplers/gp/feasibility.hpp"
#include "samplers/gp/process.hpp"
#include "samplers/untried.hpp"
#include "util/random.hpp"

namespace dlrun::samplers::gp {

struct SearchOptions {
  int spread = 384;      ///< points by the domains' measure that are looked at
  int nearby = 192;      ///< points around the best trials
  int starts = 5;        ///< climbs from the best of them
  int evaluations = 40;  ///< evaluations of the gradient, at most, in one climb
  int rounds = 4;        ///< between continuous axes and discrete ones, at most
  int levels = 16;       ///< discrete axes of more are looked at by steps of 1, 2, 4, …
};

struct Bounds {
  std::vector<Limit> limits;
  /// Rows of the process's data that are feasible, which is what a point has to improve on. None: only the likelihood
  /// counts. Not looked at without limits.
  std::vector<Eigen::Index> feasible;
};

/// Means that a point has to improve on: the least of any trial of this study (feasible ones, where there are bounds),
/// under each fantasy [m]. Without trials, of any study's.
Eigen::VectorXd least_means(const Process& process, const Bounds& bounds);

struct Found {
  space::Values values;
  double log_ei;
};

/// Untried points of the space by expected improvement, the best first: where the climbs ended, then the rest that was
/// looked at. What a constraint excludes is moved to the nearest point that it does not. Continuous axes climb by
/// L-BFGS, discrete ones by trying their values, in turn.
/// @param best_trials values of a few good trials to look around
/// @param bounds limits of points that are feasible by measurement: its likelihood is a factor of the improvement
std::vector<Found> search(const Untried& untried, const Process& process, const std::vector<space::Values>& best_trials,
                          RandomStream& random, const SearchOptions& options = {}, const Bounds& bounds = {});

}  // namespace dlrun::samplers::gp
