// SPDX-License-Identifier: Apache-2.0
// Recorded pieces of a trial, run again by a worker, in a folder where nothing of the study is.
#pragma once
#include <filesystem>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/recorded_trial.hpp"

namespace dlrun::driver {

struct RerunOptions {
  std::filesystem::path store;          ///< where the study is; only read
  std::filesystem::path folder;         ///< for everything that is written; empty at first
  std::filesystem::path worker_binary;  ///< empty: dlrun-worker beside this program
};

struct Rerun {
  /// By piece, in the order asked; the result of the test split follows its member's.
  std::vector<trial::PieceResult> results;
  trial::Runtime runtime;  ///< empty if nothing is computed by libtorch
};

/// Runs the pieces of each member in order, each with the boundaries and the attempt's number that are recorded, and
/// from the checkpoint that the one before it left here; what came from another trial, and records of ranks, are taken
/// by their hashes from the store. A member ends with its first piece that fails.
/// @param spec    of the trial's version; its threads and device are what is asked for
/// @param pieces  with attempts
/// @throws Error(no_worker), Error(outside), Error(interrupted)
Rerun run_again(const spec::StudySpec& spec, const storage::RecordedTrial& trial,
                const std::vector<storage::RecordedPiece>& pieces, const RerunOptions& options);

/// Records of the piece's epochs, by which its ranks are replayed.
std::vector<trial::Artifact> records_of(const storage::RecordedPiece& piece);

/// Is the value measured on the test split, by a task of its own?
bool is_test_value(const spec::StudySpec& spec, const storage::RecordedValue& value);

}  // namespace dlrun::driver
