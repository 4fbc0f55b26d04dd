// SPDX-License-Identifier: Apache-2.0
// View of a trial as callers and the store see it.
#pragma once
#include <string>

#include "study/state.hpp"
#include "study/study.hpp"

namespace dlrun::study {

TrialView view_of(const State& state, trial::TrialId id);
/// Adds an effect: the row of the trial has changed.
void report_change(const State& state, trial::TrialId id, const std::string& message, Output& out);

}  // namespace dlrun::study
