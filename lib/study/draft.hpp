// SPDX-License-Identifier: Apache-2.0
// Drafts of decisions: which piece, its epochs, and when it ends by plan.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// A decision at a moment, to be completed.
Decision draft_at(const State& state, const Moment& moment);
/// Gives a decision its piece. REQUIRES: kind is set; for a start the values too.
/// @param rung  the rung that the piece leads to
void set_piece(const State& state, Decision& draft, const trial::PieceKey& key, int rung);
/// Gives a decision its epochs and, in logical order, its planned end.
void set_steps(const State& state, Decision& draft, Steps steps);
/// A trial starts with its first member. REQUIRES: the values are set.
void set_start(const State& state, Decision& draft, int rung);
/// A trial continues with the first member that has not done its next piece.
void set_next_round(const State& state, Decision& draft, trial::TrialId id, int rung);

}  // namespace dlrun::study
