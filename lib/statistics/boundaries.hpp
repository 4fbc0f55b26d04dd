// SPDX-License-Identifier: Apache-2.0
// Looking at a paired t test several times while its replicates come in, and being wrong no more often than once.
#pragma once
#include <string>
#include <vector>

namespace dlrun::statistics {

/// obrien_fleming asks much early and almost the plain level at the end (Biometrics 1979); pocock asks the same at
/// every look (Biometrika 1977).
enum class Boundary { obrien_fleming, pocock };

/// "obf", "pocock". @throws Error(usage).
Boundary boundary_named(const std::string& name);

/// The two-sided p below which the test of the first looks[i] replicates may stop, so that all looks together are wrong
/// with probability alpha. Of the shape 2 (1 - Phi(c sqrt(last look / look))) (obrien_fleming) or the same at all
/// (pocock), with c found by crossing_probability, so that they hold for Student's test of few replicates too.
/// REQUIRES: looks rise from 2 on, not empty; 0 < alpha < 1.
std::vector<double> nominal_levels(const std::vector<int>& looks, Boundary boundary, double alpha);

/// The least alpha at which one of the first p.size() looks, with these two-sided p values, would have stopped: a p
/// value that may be read at any look (Liu and Anderson, JASA 2008). For a single look: p itself.
double sequential_p(const std::vector<double>& p, const std::vector<int>& looks, Boundary boundary);

}  // namespace dlrun::statistics
