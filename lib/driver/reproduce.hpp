// SPDX-License-Identifier: Apache-2.0
// A trial, run again from lineage alone and compared bit by bit with what was recorded.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/rerun.hpp"

namespace dlrun::driver {

struct ReproduceOptions {
  RerunOptions rerun;
  std::optional<int> replicate, fold;  ///< only members with these numbers; nullopt: all
  std::optional<int> threads;          ///< instead of those recorded
};

/// An input that is not what it was.
struct InputDifference {
  std::string input;
  std::string recorded, now;
};

/// A reproduction that is known to be possible.
struct ReproducePlan {
  spec::StudySpec spec;   ///< the trial's version, with the recorded threads and device, or those asked for
  std::string spec_hash;  ///< as stored
  storage::RecordedTrial trial;
  std::vector<storage::RecordedPiece> pieces;  ///< pieces whose attempts ended by themselves
  std::int64_t epochs = 0;                     ///< epochs of all pieces together
  bool knows_program = false;                  ///< files of the program were recorded
  std::vector<InputDifference> program;        ///< files of the program, and its work tree, that are others now
};

/// Reads the trial, and looks whether its data, the weights it begins with and the checkpoints of other trials it
/// inherits are what they were.
/// @throws Error(usage) if the data or a file is gone or has changed, or nothing of the trial was run;
/// Error(not_found)
ReproducePlan plan_reproduction(const std::string& study, trial::TrialId trial, const ReproduceOptions& options);

/// One value or checkpoint that came out otherwise.
struct Difference {
  trial::Member member;
  std::int64_t step = 0;
  std::string what;           ///< "val.accuracy", "checkpoint last"
  std::string recorded, now;  ///< empty: it was not measured
};

struct Reproduction {
  std::int64_t values = 0, equal_values = 0;
  std::int64_t checkpoints = 0, equal_checkpoints = 0;
  std::vector<Difference> differences;  ///< by member, then epoch
  std::vector<InputDifference> inputs;
  std::vector<std::string> failures;  ///< why pieces failed that had not
  std::vector<std::string> cited;     ///< other trials whose results these were, "digits/17"
  std::optional<bool> is_steady;      ///< set if it came out otherwise: do two runs here agree with each other?

  bool is_equal() const { return differences.empty() && failures.empty(); }
};

/// Runs the plan, and once more if something came out otherwise.
/// @throws as run_again
Reproduction reproduce(const ReproducePlan& plan, const ReproduceOptions& options);

/// After reproduce(): copies to the store what it lacks, or has damaged, of the trial's recorded artifacts, as far as
/// they came out bit-equal and some study holds on to them.
/// @return their SHA-256    @throws Error as trial::copy_artifact()
std::vector<std::string> restore(const ReproducePlan& plan, const ReproduceOptions& options);

}  // namespace dlrun::driver
