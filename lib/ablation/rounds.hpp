// SPDX-License-Identifier: Apache-2.0
// Designs in rounds, `elimination` and `path`, as a study's normal form has them.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "statistics/stepwise.hpp"
#include "util/json.hpp"

namespace dlrun::ablation {

/// Number of a variant by its id.
using NumberOf = std::function<std::optional<std::size_t>(const std::string& id)>;

/// Whether the design goes from variant to variant, in an order that is given or found.
bool has_steps(const Json& derived);
/// Whether the results decide which variants are trained.
bool has_rounds(const Json& derived);

/// @param section  `ablation`; @param derived  `derived.ablation`. REQUIRES: has_steps(derived)
statistics::StepwiseRules stepwise_rules(const Json& section, const Json& derived, bool maximize,
                                         const NumberOf& number);

/// The sets of a given order, from all off to none.
std::vector<statistics::Step> given_steps(int components);

}  // namespace dlrun::ablation
