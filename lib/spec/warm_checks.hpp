// SPDX-License-Identifier: Apache-2.0
// What `trial.warm_start` and `final.warm_start` are checked by.
#pragma once
#include "spec/trial_section.hpp"
#include "warmstart/transfer_rules.hpp"

namespace dlrun::spec {

/// @param at      place of the section
/// @param others  policies that go by the same section
void refuse_unused(const Json& start, const std::string& at, Faults& faults, const Json& others = Json::array());

/// Why nothing can begin so; empty: it can.
std::string misfit(const warmstart::WarmStart& start, const warmstart::TransferPlan& plan);

}  // namespace dlrun::spec
