// SPDX-License-Identifier: Apache-2.0
// A trial's normal form as a person would write it.
#pragma once
#include "util/json.hpp"

namespace dlrun::spec {

/// The section without keys that stand at their defaults and without keys of kinds that were not chosen (the betas of
/// adam where the optimiser is sgd). read() makes the same trial of it. REQUIRES: a `trial:` section in its normal
/// form.
Json concise_trial(const Json& trial);

}  // namespace dlrun::spec
