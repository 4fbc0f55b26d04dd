// SPDX-License-Identifier: Apache-2.0
// Designs in steps, `elimination` and `path`, as the statistics take them.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "ablation/plan.hpp"
#include "statistics/stepwise.hpp"

namespace dlrun::ablation {

/// Number of a variant by its id.
using NumberOf = std::function<std::optional<std::size_t>(const std::string& id)>;

/// REQUIRES: the plan has steps.
statistics::StepwiseRules stepwise_rules(const Plan& plan, bool maximize, const NumberOf& number);

/// The sets of a given order, from all off to none.
std::vector<statistics::Step> given_steps(int components);

}  // namespace dlrun::ablation
