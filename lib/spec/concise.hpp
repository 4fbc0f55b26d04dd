// SPDX-License-Identifier: Apache-2.0
// A section of the normal form as a person would write it.
#pragma once
#include <string>

#include "util/json.hpp"

namespace dlrun::spec {

/// The section without keys that stand at their defaults and without keys of kinds that were not chosen (the betas of
/// adam if the optimiser is sgd). read() makes the same of it. REQUIRES: the section `name` of a study (trial,
/// resources, …) in its normal form.
Json concise_section(const std::string& name, const Json& section);

}  // namespace dlrun::spec
