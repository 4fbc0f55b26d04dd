// SPDX-License-Identifier: Apache-2.0
// Results become visible: pruner, sampler and explorer are told them, and limits are compared with them.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// Shows all that a decision at `at` sees, in logical order. Called together with that decision or not at all, so that
/// no event falls between the two.
void reveal(State& state, Tick at);
/// No piece of the round is pending or owed: the trial's value at this rung is visible.
void close_round(State& state, trial::TrialId id);
/// Tells the sampler a trial's result.
/// @param has_value  false: the trial failed
/// @param is_whole   the trial gets no further
void tell_sampler(State& state, trial::TrialId id, bool has_value, bool is_whole);

}  // namespace dlrun::study
