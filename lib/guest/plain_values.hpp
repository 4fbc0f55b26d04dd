// SPDX-License-Identifier: Apache-2.0
// Values as plugins have them: plain numbers, see include/dlrun/plugin/space.hpp.
#pragma once
#include <optional>
#include <vector>

#include "space/space.hpp"

namespace dlrun::guest {

/// NaN: not active.
double plain(const space::Value& value);
std::vector<double> plain(const space::Values& values);

/// nullopt: the number is no value of the parameter's type. NaN becomes an unset value.
std::optional<space::Value> typed(const space::Parameter& parameter, double value);

}  // namespace dlrun::guest
