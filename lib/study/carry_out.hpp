// SPDX-License-Identifier: Apache-2.0
// A decision comes true. Fresh and replayed decisions take the same path, so that both end in one state.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

void carry_out(State& state, const Decision& decision, Output& out);

}  // namespace dlrun::study
