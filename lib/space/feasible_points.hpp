// SPDX-License-Identifier: Apache-2.0
// The points of a finite space that keep its constraints, numbered from 0 in the order of Points.
#pragma once
#include "space/points.hpp"

namespace dlrun::space {

/// With constraints the points are listed: up to kMostListed of them, found in at most kMostSteps steps; beyond that
/// size() is nullopt. Without constraints these are Points.
class FeasiblePoints {
 public:
  static constexpr std::size_t kMostListed = 200'000;
  static constexpr std::int64_t kMostSteps = 1'000'000;

  explicit FeasiblePoints(Space space);

  /// nullopt: infinite, or not counted.
  std::optional<std::int64_t> size() const;
  /// Points without regard to the constraints, as far as they are counted.
  std::optional<std::int64_t> all() const { return points_.size(); }
  /// Point number `number`. REQUIRES: size(), 0 <= number < size.
  Values at(std::int64_t number) const;
  /// Inverse of at(); nullopt where a constraint excludes the point. REQUIRES: size(), values of their domains.
  std::optional<std::int64_t> number_of(const Values& values) const;

 private:
  bool list(std::size_t parameter, Values& values, std::int64_t& steps);
  bool is_dead(std::size_t parameter, const Values& values) const;

  Space space_;
  Points points_;
  bool is_listed_ = false;
  std::vector<std::int64_t> numbers_;  ///< ascending
};

}  // namespace dlrun::space
