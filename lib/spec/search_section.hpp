// SPDX-License-Identifier: Apache-2.0
// What the search asks for, against what the space and the trial have.
#pragma once
#include "spec/faults.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Name of the study: it names files.
void check_name(const Json& study, Faults& faults);

/// The metric is one that trials report; fills in the direction.
void check_objective(Json& study, const std::vector<std::string>& metrics, Faults& faults);

/// Pruner's budgets against the epochs, the sampler against the space, and when it all ends; fills in what follows.
void check_search(Json& study, Faults& faults);

}  // namespace dlrun::spec
