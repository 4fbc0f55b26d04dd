// SPDX-License-Identifier: Apache-2.0
// The directions a model of the space has, and a point's coordinates along them.
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "space/space.hpp"

namespace dlrun::samplers {

/// A parameter of more than one value.
struct Axis {
  std::size_t parameter = 0;
  std::int64_t count = 0;       ///< number of values; 0: continuous
  bool is_categorical = false;  ///< no order among the values
  bool is_conditional = false;  ///< not active at every point
  bool is_branching = false;    ///< the value decides where others are active
};

/// A number for each axis: the unit coordinate, of a categorical value its index, NaN where the parameter is not
/// active. An axis beyond the space's parameters is never active at a point of the space.
using Coordinates = std::vector<double>;

inline constexpr double kInactive = std::numeric_limits<double>::quiet_NaN();

inline std::vector<Axis> axes_of(const space::Space& space) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const std::int64_t count = space.count(i).value_or(0);
    const space::Parameter& p = space.parameters()[i];
    if (count != 1) axes.push_back({i, count, p.type == space::Type::categorical, !p.when.empty(), false});
  }
  for (const space::Parameter& p : space.parameters()) {
    for (const space::Condition& condition : p.when) {
      for (Axis& axis : axes) axis.is_branching |= axis.parameter == condition.parameter;
    }
  }
  return axes;
}

inline double coordinate_of(const space::Space& space, const Axis& axis, const space::Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return kInactive;
  if (axis.is_categorical) return std::get<space::Choice>(value).index;
  return space.to_unit(axis.parameter, value);
}

inline Coordinates coordinates_of(const space::Space& space, const std::vector<Axis>& axes,
                                  const space::Values& values) {
  Coordinates coordinates;
  for (const Axis& axis : axes) {
    const bool is_of_space = axis.parameter < values.size();
    coordinates.push_back(is_of_space ? coordinate_of(space, axis, values[axis.parameter]) : kInactive);
  }
  return coordinates;
}

/// The value at a coordinate that is active.
inline space::Value value_at(const space::Space& space, const Axis& axis, double coordinate) {
  if (axis.is_categorical) return space::Choice{static_cast<std::uint32_t>(coordinate)};
  return space.from_unit(axis.parameter, coordinate);
}

/// Values chosen axis by axis, in the order of the parameters, so that conditions are known when they matter.
inline space::Values build(const space::Space& space, const std::vector<Axis>& axes,
                           const std::function<space::Value(std::size_t axis)>& choose) {
  space::Values values(space.size());
  std::size_t a = 0;
  for (std::size_t p = 0; p < space.size(); ++p) {
    const bool is_axis = a < axes.size() && axes[a].parameter == p;
    if (space.is_active(p, values)) values[p] = is_axis ? choose(a) : space.from_unit(p, 0);
    if (is_axis) ++a;
  }
  return values;
}

}  // namespace dlrun::samplers
