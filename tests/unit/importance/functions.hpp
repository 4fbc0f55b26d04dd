// SPDX-License-Identifier: Apache-2.0
// Evidence from functions whose decomposition of variance is known in closed form.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "importance/evidence.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace dlrun::support {

inline space::Space cube(std::size_t axes, double low, double high) {
  std::vector<space::Parameter> parameters;
  for (std::size_t i = 0; i < axes; ++i) {
    parameters.push_back({.name = "x" + std::to_string(i), .low = low, .high = high});
  }
  return space::Space(std::move(parameters));
}

using Function = std::function<double(const space::Values&)>;

/// `count` random points of the space and what the function has there.
inline importance::Evidence sample(const space::Space& space, int count, const Function& function) {
  importance::Evidence evidence{space, {}, {}, std::vector<double>(std::size_t(count), 1.0)};
  RandomStream random(1, {"sample"});
  for (int n = 0; n < count; ++n) {
    space::Values values(space.size());
    for (std::size_t i = 0; i < space.size(); ++i) {
      const double unit = random.uniform();
      if (space.is_active(i, values)) values[i] = space.from_unit(i, unit);
    }
    evidence.objectives.push_back(function(values));
    evidence.values.push_back(std::move(values));
  }
  return evidence;
}

inline double real(const space::Values& values, std::size_t i) { return std::get<double>(values[i]); }

}  // namespace dlrun::support
