// SPDX-License-Identifier: Apache-2.0
// Fronts: first the points that no other dominates, then those of the rest, and so on.
#pragma once
#include <cstddef>
#include <vector>

#include "pareto/score.hpp"

namespace dlrun::pareto {

/// The number of each score's front, 0 the best: efficient non-dominated sorting with binary search (ENS-BS; Zhang et
/// al., IEEE TEC 2015). Infeasible scores come after all feasible ones, a front for each violation. O(n^2) comparisons
/// at worst, of a few fronts far less.
std::vector<int> ranks_of(const std::vector<Score>& scores);

/// Places of front 0's scores, ascending; of equal scores all.
std::vector<std::size_t> front_of(const std::vector<Score>& scores);

/// How far apart its neighbours in its front are, summed over the objectives by their ranges; infinite at the ends
/// (crowding distance, Deb et al., IEEE TEC 2002, section III.B).
/// @param front places of one front's scores
std::vector<double> crowding_of(const std::vector<Score>& scores, const std::vector<std::size_t>& front);

/// Points in such an order that any first few of them are spread out: the point with the best first value, then always
/// the one farthest from all before it (an epsilon-net; Schmucker et al. 2021, arXiv:2106.12639, section 3.2),
/// distances by the range of each objective. Ties: the earlier. O(n^2).
std::vector<std::size_t> spread_order(const std::vector<Point>& points);

/// Places of all scores, the best first: by front, within a front spread out; infeasible ones by violation.
std::vector<std::size_t> order_of(const std::vector<Score>& scores);

}  // namespace dlrun::pareto
