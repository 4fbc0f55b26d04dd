// SPDX-License-Identifier: Apache-2.0
// Bytes that devices hold during a step.
#pragma once
#include "placement/simulator.hpp"

namespace dlrun::placement {

/// The most bytes that each device holds: parameters all the time, an output from its task's begin to the end of its
/// last reader there and of its last transfer, a copy that came from the transfer's begin to the end of its last
/// reader.
std::vector<std::int64_t> peaks_of(const Step& step, const Placement& placement, int devices,
                                   const std::vector<Span>& spans);

/// Bytes that each device holds of parameters, see Step::held_params().
std::vector<std::int64_t> fixed_bytes(const Step& step, const Placement& placement, int devices);

}  // namespace dlrun::placement
