// SPDX-License-Identifier: Apache-2.0
// Checks of one parameter's domain. For this room alone.
#pragma once
#include "space/space.hpp"

namespace dlrun::space {

/// categorical, ordinal, constant
bool has_choices(const Parameter& parameter);

/// @throws Error(usage) for a domain that makes no sense, naming the parameter.
void check_domain(const Parameter& parameter);

}  // namespace dlrun::space
