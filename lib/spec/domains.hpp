// SPDX-License-Identifier: Apache-2.0
// Checks of the domain of a parameter: bounds, scales, steps, choices.
#pragma once
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Reports what is wrong with the domain of a parameter in normal form, at `path`.
void check_domain(const Json& parameter, const std::string& path, Faults& faults);

}  // namespace dlrun::spec
