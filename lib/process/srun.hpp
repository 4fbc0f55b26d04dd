// SPDX-License-Identifier: Apache-2.0
// Steps of a Slurm job: one process on each of several hosts.
#pragma once
#include <string>
#include <vector>

namespace dlrun::process {

/// Begin of a command that starts one process on each of so many hosts, within the job that this process belongs to.
/// Further options of srun follow, then the program.
std::vector<std::string> srun_command(int hosts);

/// A variable that srun sets for its processes. @throws Error(usage) where it is not set
std::string srun_variable(const char* name);

}  // namespace dlrun::process
