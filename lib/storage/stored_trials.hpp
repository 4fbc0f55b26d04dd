// SPDX-License-Identifier: Apache-2.0
// The trials of a study as its tables have them, for who learns from them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "storage/rows.hpp"

namespace dlrun::storage {

struct StoredTrial {
  std::int64_t number = 0;
  trial::TrialState state = trial::TrialState::waiting;
  space::Values values;
  std::vector<double> objectives;  ///< as measured, all of them; empty: none so far
  std::optional<double> violation;
  std::int64_t steps = 0;
};

/// All trials of a study by number, at one moment, also while it is written.
/// @param space the study's own
/// @throws Error(not_found) where there is no such study; Error(store), Error(outside) as open_for_reading.
std::vector<StoredTrial> read_trials(const std::filesystem::path& folder, const std::string& name,
                                     const space::Space& space);

}  // namespace dlrun::storage
