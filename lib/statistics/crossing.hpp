// SPDX-License-Identifier: Apache-2.0
// How often Student's test of growing samples is beyond its critical values at some of its looks, where there is
// nothing to find.
#pragma once
#include <vector>

namespace dlrun::statistics {

/// A look at the first n differences, which rejects where their two-sided p is below `level`.
struct Look {
  int n = 0;
  double level = 0;
};

/// Exact for normal differences, unlike the recursion of Armitage, McPherson and Rowe (JRSS A 1969), which takes the
/// standard deviation as known and is 10 % off for looks at 4, 6, …, 12. It stands on the cosine between the sample and
/// (1, …, 1), u = sum / sqrt(n x sum of squares), of which t is a function: the direction of a normal sample does not
/// depend on its length, so u is a Markov chain. With n values joined by g more,
///   u' = sqrt(n / m) u cos(phi) + sqrt(g / m) v sin(phi),  m = n + g,
/// where cos(phi)^2 is Beta(n/2, g/2), the share of the first n in the sum of squares, and v is the g values' own
/// cosine. What is still to be crossed is integrated from the last look to the first. REQUIRES: n rise from 2 on;
/// levels in [0, 1].
double crossing_probability(const std::vector<Look>& looks);

}  // namespace dlrun::statistics
