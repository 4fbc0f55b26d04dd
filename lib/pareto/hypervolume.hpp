// SPDX-License-Identifier: Apache-2.0
// How much of the space some points dominate.
#pragma once
#include <cstddef>
#include <vector>

#include "pareto/score.hpp"

namespace dlrun::pareto {

/// The volume between the points and the reference, a point that should be worse than all of them; what is not better
/// than the reference everywhere counts nothing. Exact in any dimension: a sweep for two objectives, above that the
/// algorithm of While, Bradstreet and Barone (WFG; IEEE TEC 2012), whose time grows exponentially with the objectives.
double hypervolume(std::vector<Point> points, const Point& reference);

/// Volume that each point adds to that of all others.
std::vector<double> contributions(const std::vector<Point>& points, const Point& reference);

/// `count` of the points whose volume is large: always the one that adds most (greedy, within 1 - 1/e of the best
/// choice: Guerreiro et al. 2016). Ties: the earlier. Ascending places.
std::vector<std::size_t> subset(const std::vector<Point>& points, const Point& reference, std::size_t count);

/// A reference a tenth beyond the worst of each objective, for choices among the points themselves.
Point beyond_worst(const std::vector<Point>& points);

}  // namespace dlrun::pareto
