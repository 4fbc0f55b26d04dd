// SPDX-License-Identifier: Apache-2.0
// `replicates: auto` and `stopping:` of an ablation: when its replicates are looked at, and how many there may be.
#pragma once
#include "ablation/checker.hpp"
#include "ablation/plan.hpp"

namespace dlrun::ablation {

/// Puts the looks and the most replicates into the section, and reports contradictions: numbers that differ, looks that
/// do not rise, designs and tests that have no such looks. REQUIRES: the section has `stopping`.
/// @param objective   metric that trials are judged by while they come in
/// @param components  compared with the baseline
/// @return whether the number of replicates is known: no part that it follows from has a fault
bool settle_looks(Section& section, const std::string& objective, std::size_t components, Faults& faults);

}  // namespace dlrun::ablation
