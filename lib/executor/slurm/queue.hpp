// SPDX-License-Identifier: Apache-2.0
// What squeue says of our jobs. Pure.
#pragma once
#include <string>
#include <vector>

namespace dlrun::executor {

/// Of a job: it waits for its place, has it, or has given it back. A preempted or requeued one may come back: then it
/// is seen again under the same name.
enum class JobPhase { waiting, running, over };

struct QueuedJob {
  std::string id;  ///< "123_4"
  JobPhase phase = JobPhase::waiting;
  std::string state;   ///< Slurm's word, "PENDING"
  std::string reason;  ///< "Priority"; "None" where there is none
  std::string nodes;
};

/// Of Slurm's word for a state. One that is not known counts as running: nothing is started in its place.
JobPhase phase_of(const std::string& state);

/// @param text  lines of kQueueFormat
/// @throws Error(outside) where a line is not of that form
std::vector<QueuedJob> read_queue(const std::string& text);

/// For `squeue --noheader --array --states=all --format`.
inline constexpr const char* kQueueFormat = "%i|%T|%N|%r";

/// What `sbatch --parsable` printed: "123" or "123;cluster". @throws Error(outside) where it is neither.
std::string read_submitted(const std::string& text);

}  // namespace dlrun::executor
