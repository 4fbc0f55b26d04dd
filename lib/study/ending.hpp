// SPDX-License-Identifier: Apache-2.0
// End of a search: paused trials end, then the test split is measured for the best trial or for all.
#pragma once
#include <functional>
#include <string>

#include "study/state.hpp"

namespace dlrun::study {

/// Ends all paused trials. Those that are as good as the target, or that got all that was planned for them, are
/// complete; the others are pruned.
/// @param why  message of a trial that is pruned
void end_paused(State& state, const std::function<std::string(trial::TrialId)>& why, Output& out);
/// The search is over. Tests follow if the rules want them and there is a best trial.
void finish(State& state, const std::string& reason, Output& out);

/// Members whose test split is measured, in this order.
std::vector<trial::Member> members_to_test(const State& state);
/// Orders the test of the next member. REQUIRES: one is left
void ask_test(const State& state, Output& out);
void absorb(State& state, const TestMeasured& event, Output& out);

}  // namespace dlrun::study
