// SPDX-License-Identifier: Apache-2.0
// Keeps a search from repeating itself and within its constraints: tried points, and untried ones.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "samplers/tried.hpp"
#include "space/feasible_draw.hpp"
#include "space/feasible_points.hpp"
#include "space/space.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// A point without a continuous value may be drawn again, which would only repeat a trial. Such points are drawn anew,
/// up to kDraws times. Then, where the space is finite, the nearest untried point after a random one is taken (all that
/// is left of a space is found this way, in nearly constant time). Where only a part of the space is discrete ("adam",
/// beside "sgd" with a continuous momentum), the repetition is accepted.
///
/// A point that a constraint excludes is drawn anew too, up to kRedraws times; then it is moved to the nearest that
/// keeps the constraints, and where that was tried a random one is taken (space::FeasibleDraw).
class Untried {
 public:
  /// Added to the reason of a proposal if all draws were tried.
  static constexpr const char* kRandom = "; a random one: what it led to was tried";

  explicit Untried(const space::Space& space);

  const space::Space& space() const { return space_; }
  const space::FeasibleDraw& feasible() const { return feasible_; }
  void insert(const space::Values& values);
  /// False for a point with a continuous value: it never comes again.
  bool was_tried(const space::Values& values) const;
  /// Do the constraints hold?
  bool is_allowed(const space::Values& values) const { return feasible_.allows(values); }
  /// May it be proposed?
  bool is_new(const space::Values& values) const { return is_allowed(values) && !was_tried(values); }
  /// A point by the domains' measure, within the constraints.
  space::Values draw(RandomStream& random) const { return feasible_.draw(random); }
  /// The nearest point that keeps the constraints.
  space::Values moved(const space::Values& values, RandomStream& random) const {
    return *feasible_.moved(values, random);
  }
  /// Was every point of a finite space tried?
  bool is_used_up() const;
  /// Why a search that has used up its space ends.
  std::string used_up() const;
  /// Point that `draw` yields, but for points that were tried. REQUIRES: !is_used_up().
  /// @param reason of the proposal, which `draw` may write: the change it needed is added, "; moved to where the
  /// constraints hold" or kRandom
  space::Values pick(RandomStream& random, const std::function<space::Values()>& draw, std::string& reason);

 private:
  std::optional<space::Values> pick_allowed(RandomStream& random, const std::function<space::Values()>& draw,
                                            std::string& reason);
  /// The number that stands for a point in tried_; nullopt: it holds a continuous value.
  std::optional<std::int64_t> key(const space::Values& values) const;

  space::Space space_;
  space::FeasiblePoints points_;
  space::FeasibleDraw feasible_;
  Tried tried_;
};

}  // namespace dlrun::samplers
