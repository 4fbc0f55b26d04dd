// SPDX-License-Identifier: Apache-2.0
// Results of pieces: measured and recorded at once, visible to decisions at their logical time.
#pragma once
#include "study/objective.hpp"
#include "study/state.hpp"

namespace dlrun::study {

/// Number that a result should have and has not; nullopt: it is whole, or its attempt failed anyway.
std::optional<Unmeasured> lack_of(const State& state, const trial::PieceResult& result);

void absorb(State& state, const PieceEnded& event, Output& out);
/// Trials of an earlier study: only the sampler is told.
void absorb(State& state, const Learned& event, Output& out);

}  // namespace dlrun::study
