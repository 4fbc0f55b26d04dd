// SPDX-License-Identifier: Apache-2.0
// Points that were tried, and the next one that was not. For samplers that never propose a point twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dlrun::samplers {

/// A set of point numbers. Each member points at a later candidate (a union-find with path compression), so that the
/// next free number is found in nearly constant time however full the set is; a list of all points would cost memory
/// for spaces of which only a little is ever tried. About 40 bytes a member. Its answers depend on the set alone, not
/// on the order it grew in.
class Tried {
 public:
  void insert(std::int64_t point) { next_.try_emplace(point, point + 1); }
  bool contains(std::int64_t point) const { return next_.count(point) > 0; }
  std::size_t size() const { return next_.size(); }

  /// The first number >= `point` that is not in the set.
  std::int64_t next_free(std::int64_t point) {
    std::int64_t free = point;
    for (auto it = next_.find(free); it != next_.end(); it = next_.find(free)) free = it->second;
    for (auto it = next_.find(point); it != next_.end(); it = next_.find(point)) {
      point = it->second;
      it->second = free;
    }
    return free;
  }

 private:
  std::unordered_map<std::int64_t, std::int64_t> next_;
};

}  // namespace dlrun::samplers
