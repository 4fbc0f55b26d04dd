// SPDX-License-Identifier: Apache-2.0
// Results of pieces: measured and recorded at once, visible to decisions at their logical time.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

void absorb(State& state, const PieceEnded& event, Output& out);
/// Trials of an earlier study: only the sampler is told.
void absorb(State& state, const Learned& event, Output& out);

}  // namespace dlrun::study
