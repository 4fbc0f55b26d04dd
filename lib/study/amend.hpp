// SPDX-License-Identifier: Apache-2.0
// An amendment of the spec takes effect (docs/logical-clock.md, rule 10).
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// The oldest amendment of the agenda takes effect, and all lanes restart at `at`. REQUIRES: nothing is pending or
/// owed.
void amend(State& state, Tick at, Output& out);

}  // namespace dlrun::study
