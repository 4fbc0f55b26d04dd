// SPDX-License-Identifier: Apache-2.0
// Programs with one copy on each of several hosts of a Slurm job.
#pragma once
#include <string>
#include <vector>

namespace dlrun::programs {

/// Command of a program's leader: a process on the first host that has srun start the copies, and ends as they do.
std::vector<std::string> leader_command(const std::string& binary, int nodes, int gpus,
                                        const std::vector<std::string>& command);

/// The process of a leader, `dlrun-worker --group NODES GPUS PROGRAM [ARGUMENT…]`. All copies begin when all are there
/// (GroupLeader), or none does.
/// @return the exit code: that of the copy that failed first; 75 if a host failed or a copy was lost
int lead_group(const std::vector<std::string>& words);

/// The process of a copy below srun, `dlrun-worker --rank PROGRAM [ARGUMENT…]`. Its leader learns how it ended, and if
/// the leader has gone, so does the copy.
int run_rank(const std::vector<std::string>& command);

}  // namespace dlrun::programs
