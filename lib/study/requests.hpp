// SPDX-License-Identifier: Apache-2.0
// Requests of people (and of limits of time): stop, resume, cancel, retry, enqueue, amend.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

void absorb(State& state, const StopAsked& event, Output& out);
void absorb(State& state, const Resumed& event, Output& out);
/// Ends a trial at once: its attempts are abandoned, and its members get no more pieces.
void absorb(State& state, const CancelAsked& event, Output& out);
/// A failed trial waits for another attempt, and the failures so far are forgotten. Ignored for trials of a pruner that
/// an amendment replaced.
void absorb(State& state, const RetryAsked& event, Output& out);
/// Ignored if a trial has these values, or will have them: an equal trial would measure the same.
void absorb(State& state, const EnqueueAsked& event, Output& out);
/// Ignored in the logical order, whose lanes are part of the outcome.
void absorb(State& state, const LaneAdded& event, Output& out);
/// @throws Error(store) if the caller has not filled in the meaning of the amendment
void absorb(State& state, const Amended& event, Output& out);

}  // namespace dlrun::study
