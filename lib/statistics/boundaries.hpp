// SPDX-License-Identifier: Apache-2.0
// Looking at a test several times while its replicates come in, and being wrong no more often than once.
#pragma once
#include <string>
#include <vector>

namespace dlrun::statistics {

/// obrien_fleming asks much early and almost the plain level at the end (Biometrics 1979); pocock asks the same at
/// every look (Biometrika 1977).
enum class Boundary { obrien_fleming, pocock };

/// "obf", "pocock". @throws Error(usage).
Boundary boundary_named(const std::string& name);

/// The probability that a Brownian motion, seen when `looks` replicates are there, is beyond the boundary at any of
/// them: |Z_i| >= critical x sqrt(n_last / n_i) (obrien_fleming), |Z_i| >= critical (pocock). By the recursion of
/// Armitage, McPherson and Rowe (JRSS A 1969), integrated numerically.
/// REQUIRES: looks rise and are positive.
double crossing_probability(const std::vector<int>& looks, Boundary boundary, double critical);

/// The two-sided p below which each look may stop, so that all together are wrong with probability alpha.
/// REQUIRES: as above, not empty; 0 < alpha < 1.
std::vector<double> nominal_levels(const std::vector<int>& looks, Boundary boundary, double alpha);

/// The least alpha at which one of the first p.size() looks, with these two-sided p values, would have stopped: a p
/// value that may be read at any look (Liu and Anderson, JASA 2008). For a single look: p itself.
double sequential_p(const std::vector<double>& p, const std::vector<int>& looks, Boundary boundary);

}  // namespace dlrun::statistics
