// SPDX-License-Identifier: Apache-2.0
// The point nearest to a wanted one that keeps linear constraints: a small mixed-integer program. For this room alone.
#pragma once
#include <optional>
#include <vector>

#include "space/simplex.hpp"
#include "space/space.hpp"

namespace dlrun::space {

struct Variable {
  double low = 0, high = 1;  ///< ends, both inside; of a grid they are points of it
  double step = 0;           ///< 0: continuous; else values are origin + k * step
  double origin = 0;
  double wanted = 0;
  double weight = 1;  ///< cost of a distance of 1; above 0
};

struct Row {
  std::vector<double> factors;  ///< one for each variable
  Relation relation = Relation::at_most;
  double bound = 0;
};

struct Solution {
  std::vector<double> x;
  double cost = 0;
};

/// Minimises the sum of weight * |x - wanted|. Linear programs by the dual simplex method with Bland's rule (the
/// wanted point is optimal and only infeasible, so there is no first phase), grids by branch and bound. `a < b` of
/// continuous variables keeps a distance of 1e-6 of what a and b span, where that is not to be had 1e-9; what is
/// thinner counts as empty. Rows of grids alone are exact: they are rounded to what their greatest common divisor
/// allows.
/// nullopt: there is no such point, or none was found before `work` was spent; when one is found, a little more work is
/// done to come nearer.
std::optional<Solution> nearest(const std::vector<Variable>& variables, const std::vector<Row>& rows, Work& work);

}  // namespace dlrun::space
