// SPDX-License-Identifier: Apache-2.0
// Checks of a recorded decision, before it is applied to the state that it was taken in.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// Is this decision the next one of the log? @throws Error(store) if it is not
void require_follows(const State& state, const Decision& decision);
/// Could the study take this decision now, whoever chooses? REQUIRES: results up to `at` are revealed.
/// @throws Error(store) if it could not
void require_possible(const State& state, const Decision& decision);

}  // namespace dlrun::study
