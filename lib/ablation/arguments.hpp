// SPDX-License-Identifier: Apache-2.0
// `drop_argument` and `swap_argument`: elements of a program's command, removed or replaced.
#pragma once
#include <vector>

#include "ablation/units.hpp"

namespace dlrun::ablation {

/// The arguments that a component names, as the command has them.
/// @throws Refused E201 if the command has no such argument, or more than one; E210 if a swap does not say what takes
/// the place.
Names arguments_of(const Unit& unit, const Json& trial);

/// The command without what these units leave out.
Json without_arguments(const Json& command, const std::vector<const Unit*>& units);

}  // namespace dlrun::ablation
