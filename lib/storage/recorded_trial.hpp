// SPDX-License-Identifier: Apache-2.0
// Record of one trial in a study's tables: all that it takes to run it again, and its results.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "storage/rows.hpp"
#include "trial/runner.hpp"

namespace dlrun::storage {

/// A piece that was decided, and the attempt whose result counts.
struct RecordedPiece {
  trial::PieceKey key;
  std::int64_t from_step = 0, to_step = 0;
  int attempt = 0;  ///< 0: none ended by itself
  trial::AttemptState state = trial::AttemptState::running;
  trial::Cause cause = trial::Cause::none;
  std::string inherited;  ///< SHA-256 of another trial's checkpoint that it began with; empty: none
  std::string cited;      ///< "digits/17", whose result it has; empty: its own
  trial::Runtime runtime;
  Environment environment;
  std::vector<trial::Artifact> artifacts;
};

struct RecordedValue {
  trial::Member member;
  std::int64_t step = 0;
  std::string metric;
  double value = 0;
};

struct RecordedTrial {
  trial::TrialState state = trial::TrialState::waiting;
  std::size_t version = 0;  ///< version of the study's spec, when it was decided
  bool is_heir = false;     ///< the trial began with another trial's weights and state
  space::Values values;
  std::vector<RecordedPiece> pieces;   ///< by member, then number
  std::vector<RecordedValue> metrics;  ///< committed ones, by member, step and name
};

/// Record of a trial at one moment, also while the study is written.
/// @param space  the newest of the study
/// @throws Error(not_found) where there is no such study or trial; Error(store), Error(outside) as open_for_reading.
RecordedTrial read_recorded(const std::filesystem::path& folder, const std::string& name, trial::TrialId trial,
                            const space::Space& space);

}  // namespace dlrun::storage
