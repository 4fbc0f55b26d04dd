// SPDX-License-Identifier: Apache-2.0
// The rungs of a ladder, in integers: floating logarithms miss some.
#pragma once
#include <cstdint>
#include <vector>

#include "pruners/kinds.hpp"

namespace dlrun::pruners {

/// r * eta^k for k = 0 ... floor(log_eta(R / r)); the last is raised to R, so that what is left of the budget is used
/// and rungs stay at least a factor eta apart (R = 10, eta = 3: 1, 3, 10).
/// @param op  name of the pruner, for messages
/// @throws Error(usage) for eta < 2, min_budget < 1, max_budget < min_budget.
std::vector<std::int64_t> geometric_rungs(const Ladder& ladder, const char* op);

/// min_budget, then every `interval` epochs; the last is max_budget.
/// @throws Error(usage) for interval < 1, min_budget < 1, max_budget < min_budget, more than kMostRungs.
std::vector<std::int64_t> even_rungs(const EvenLadder& ladder, const char* op);

/// A rung costs a checkpoint and a commit.
inline constexpr std::int64_t kMostRungs = 1000;

/// Number of rungs that even_rungs gives. REQUIRES: the settings make sense.
std::int64_t count_even_rungs(const EvenLadder& ladder);

/// 1, 1 / eta, 1 / eta^2, …: one trial in eta goes on at each rung.
std::vector<double> geometric_shares(std::size_t rungs, int eta);

}  // namespace dlrun::pruners
