// SPDX-License-Identifier: Apache-2.0
// Best trials of a stored study, for its reports and for everything that keeps or carries their files.
#pragma once
#include <cstddef>
#include <vector>

#include "storage/sqlite.hpp"
#include "study/best.hpp"

namespace dlrun::storage {

/// The first `most` trials that may be called the best, best first, by the rule of study/best.hpp; before
/// all others the winner of a race that counts. Reads files of every schema.
std::vector<study::Contender> best_trials(Database& study, std::size_t most);

/// The first `most` trials that may race to be the winner: that of an earlier race, the completed ones, best first,
/// then those that were pruned, the latest first. None is infeasible.
std::vector<trial::TrialId> candidates(Database& study, std::size_t most);

}  // namespace dlrun::storage
