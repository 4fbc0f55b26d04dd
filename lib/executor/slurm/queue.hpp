// SPDX-License-Identifier: Apache-2.0
// Answers of squeue about our jobs. Pure.
#pragma once
#include <string>
#include <vector>

namespace dlrun::executor {

/// Phase of a job: it waits for its place, has it, or has given it back. A preempted or requeued job may return under
/// the same name.
enum class JobPhase { waiting, running, over };

struct QueuedJob {
  std::string id;  ///< "123_4"
  JobPhase phase = JobPhase::waiting;
  std::string state;   ///< Slurm's word, "PENDING"
  std::string reason;  ///< "Priority"; "None" if there is none
  std::string nodes;
};

/// Phase for Slurm's word for a state. An unknown word counts as running: no job is started in its place.
JobPhase phase_of(const std::string& state);

/// @param text  lines of kQueueFormat
/// @throws Error(outside) if a line is not of that form
std::vector<QueuedJob> read_queue(const std::string& text);

/// Format for `squeue --noheader --array --states=all --format`.
inline constexpr const char* kQueueFormat = "%i|%T|%N|%r";

/// Job in the output of `sbatch --parsable`, "123" or "123;cluster". @throws Error(outside) if it is neither.
std::string read_submitted(const std::string& text);

}  // namespace dlrun::executor
