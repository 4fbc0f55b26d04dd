// SPDX-License-Identifier: Apache-2.0
// Values from coordinates, for samplers that think in the unit cube.
#pragma once
#include <vector>

#include "space/space.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// Values from unit coordinates, one for each parameter; those of inactive parameters are not looked at.
inline space::Values values_from(const space::Space& space, const std::vector<double>& units) {
  space::Values values(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space.is_active(i, values)) values[i] = space.from_unit(i, units[i]);
  }
  return values;
}

}  // namespace dlrun::samplers
