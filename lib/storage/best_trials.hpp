// SPDX-License-Identifier: Apache-2.0
// Best trials of a stored study, for its reports and for everything that keeps or carries their files.
#pragma once
#include <cstddef>
#include <vector>

#include "storage/sqlite.hpp"
#include "study/best.hpp"

namespace dlrun::storage {

/// The first `most` trials that may be called the best, best first, by the rule of study/best.hpp. Reads files of every
/// schema.
std::vector<study::Contender> best_trials(Database& study, std::size_t most);

}  // namespace dlrun::storage
