// SPDX-License-Identifier: Apache-2.0
// Several ranks that train one model, as `dlrun check` says it.
#pragma once
#include <optional>
#include <string>

#include "spec/study_spec.hpp"

namespace dlrun::plan {

/// Method and ranks of the base trial, and what an epoch of it costs in virtual time and traffic, played without
/// gradients. nullopt: one machine trains alone.
std::optional<std::string> gang_plan(const spec::StudySpec& spec);

/// Copies of the weights that a checkpoint of the base trial holds beside the model: the ranks', and one that servers
/// hold together. With each goes an optimiser's state.
std::int64_t gang_copies(const spec::StudySpec& spec);

}  // namespace dlrun::plan
