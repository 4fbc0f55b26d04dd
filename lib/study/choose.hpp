// SPDX-License-Identifier: Apache-2.0
// Choice of the next decision, in the order that study.hpp describes: a pure function of the state, but for the
// proposals that sampler and explorer make on the way.
#pragma once
#include "study/state.hpp"

namespace dlrun::study {

/// @return nullopt: order arrival, and results have to come first
std::optional<Decision> choose(State& state, const Moment& moment);

}  // namespace dlrun::study
