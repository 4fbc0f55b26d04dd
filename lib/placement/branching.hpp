// SPDX-License-Identifier: Apache-2.0
// The best of all placements of a small graph.
#pragma once
#include "placement/evaluator.hpp"

namespace dlrun::placement {

/// Largest graph that branching takes.
constexpr int kMostBranchedNodes = 12;
/// Placements that branching tries, whatever fewer are allowed: those of 12 nodes on 4 equal devices are 700,000.
constexpr std::int64_t kMostBranchedTries = 1'000'000;

/// Tries every placement but those that cannot be better than the best so far: devices with too much work or too many
/// parameters, or a way that is too long with its transfers. Placements that differ in the numbers of equal devices are
/// tried once.
/// @return whether all were tried or ruled out, so that the evaluator's best is the best of all; else it was spent, or
///         ruling out took as long as four times as many tries
bool try_all(Evaluator& evaluator);

}  // namespace dlrun::placement
