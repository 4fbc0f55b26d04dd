// SPDX-License-Identifier: Apache-2.0
// Choice of a new trial: one that a person asked for, an heir of another trial, or a proposal of the sampler.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// The next point of the agenda. It comes before all that the search would do, also where the search would end.
/// @return false, with the draft unchanged: there is none, or it does not fit
bool choose_asked(State& state, Decision& draft);
/// A trial that begins with its donor's weights. It comes before its donor continues, so that the donor's last
/// checkpoint is the one of this rung.
bool choose_heir(const State& state, Decision& draft, const pruners::Heir& heir);
bool choose_new(State& state, Decision& draft);

}  // namespace dlrun::study
