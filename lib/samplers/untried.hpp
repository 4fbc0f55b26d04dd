// SPDX-License-Identifier: Apache-2.0
// Keeps a search from repeating itself: what was tried, and points that were not.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "samplers/tried.hpp"
#include "space/points.hpp"
#include "space/space.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// A point without a continuous value may be drawn again, which would only repeat a trial. Such points are drawn anew,
/// up to kDraws times. Then, where the space is finite, the nearest untried point after a random one is taken (all that
/// is left of a space is found this way, in nearly constant time). Where only a part of the space is discrete ("adam",
/// beside "sgd" with a continuous momentum), the repetition is accepted.
class Untried {
 public:
  explicit Untried(const space::Space& space);

  const space::Space& space() const { return space_; }
  void insert(const space::Values& values);
  /// False for a point with a continuous value: it never comes again.
  bool was_tried(const space::Values& values) const;
  /// Was every point of a finite space tried?
  bool is_used_up() const;
  /// Why a search that has used up its space ends.
  std::string used_up() const;
  /// What `draw` yields, but for what was tried. REQUIRES: !is_used_up().
  space::Values pick(RandomStream& random, const std::function<space::Values()>& draw);

 private:
  /// The number that stands for a point in tried_; nullopt: it holds a continuous value.
  std::optional<std::int64_t> key(const space::Values& values) const;

  space::Space space_;
  space::Points points_;
  Tried tried_;
};

}  // namespace dlrun::samplers
