// SPDX-License-Identifier: Apache-2.0
// Reasons of decisions, for `explain`.
#pragma once
#include <string>

#include "study/state.hpp"

namespace dlrun::study {

/// "replicate 1 of 5, fold 0 of 10", counted from 0; empty: the trial has one member.
std::string member_name(const trial::Members& plan, const trial::Member& member);
/// A pruner's reason with the numbers of the trial: "…; loss 0.25, seconds 3, infeasible by 0.1".
std::string with_metric(const State& state, const std::string& reason, trial::TrialId trial);
/// Why nothing more begins: "limit of 32 trials".
std::string closing_reason(const State& state);

}  // namespace dlrun::study
