// SPDX-License-Identifier: Apache-2.0
// Decisions and results of a stored study, computed again from its events (`dlrun verify --decisions`).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::driver {

struct Recomputed {
  std::int64_t decisions = 0;  ///< decisions recorded as they are computed now, up to the first difference
  std::string fault;           ///< the first difference, with both values; empty: none
};

/// Feeds the recorded events to a study of the recorded specs and compares what it decides with the recorded decisions:
/// every value and every word of the reasons; then each trial's row with what the events say of it: state, epochs,
/// objectives and bounds, of trials that are completed or pruned. Works on a study that is being written, too; changes
/// nothing, so older tables are read in a migrated copy.
/// @throws Error(not_found) if there is no such study; Error(outside) if it cannot be read. Damage is a fault.
Recomputed recompute_decisions(const std::filesystem::path& folder, const std::string& study);

}  // namespace dlrun::driver
