// SPDX-License-Identifier: Apache-2.0
// Random points of a space with constraints, however little of it they leave.
#pragma once
#include <optional>

#include "space/feasible.hpp"
#include "util/random.hpp"

namespace dlrun::space {

/// A point by the domains' measure, without regard to constraints.
Values uniform_point(const Space& space, RandomStream& random);

/// Points that keep the constraints. What they leave is nowhere too thin: a point is moved to the nearest that keeps
/// them, and from there walks at random (Gibbs steps along the axes by the domains' measure; hit-and-run within sums
/// that are equalities, Smith 1984), so that it does not stay on the edge.
class FeasibleDraw {
 public:
  explicit FeasibleDraw(const Space& space);

  const Space& space() const { return space_; }
  bool is_free() const { return !feasible_; }  ///< there is no constraint
  bool allows(const Values& values) const { return is_free() || space_.satisfies(values); }
  /// A random point.
  Values draw(RandomStream& random) const;
  /// The nearest point that keeps the constraints, or some point where it takes too long to come near; values that are
  /// missing and become active are drawn. `fixed` keep theirs; nullopt: with those none was found.
  std::optional<Values> moved(const Values& values, RandomStream& random, const std::vector<bool>& fixed = {}) const;
  /// A point with these values, the same at each call; nullopt: there is none. Unset: any value.
  /// @throws Error(usage) where that cannot be decided.
  std::optional<Values> completed(const Values& asked) const;

 private:
  void walk(Values& values, RandomStream& random) const;
  void step_along(std::size_t parameter, Values& values, RandomStream& random) const;
  void step_within_equalities(Values& values, RandomStream& random) const;
  std::pair<double, double> reach(const std::vector<double>& direction, const Values& values) const;

  Space space_;
  std::optional<Feasible> feasible_;
  std::vector<Linear> sums_;
  std::optional<Values> some_;  ///< a point that keeps them all
};

}  // namespace dlrun::space
