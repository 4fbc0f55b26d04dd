// SPDX-License-Identifier: Apache-2.0
// Checks of a parameter's domain: bounds, scales, steps, choices.
#pragma once
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Reports what is wrong with the domain of a parameter in normal form, at `path`.
void check_domain(const Json& parameter, const std::string& path, Faults& faults);

}  // namespace dlrun::spec
