// SPDX-License-Identifier: Apache-2.0
#include "process/srun.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::process {

std::vector<std::string> srun_command(int hosts) {
  std::vector<std::string> words{"srun",
                                 "--quiet",
                                 "--overlap",
                                 "--input=none",
                                 "--export=ALL",
                                 "--ntasks-per-node=1",
                                 fmt::format("--nodes={}", hosts),
                                 fmt::format("--ntasks={}", hosts)};
  const char* cores = std::getenv("SLURM_CPUS_PER_TASK");  // since 22.05 steps do not inherit it
  if (cores != nullptr) words.push_back(fmt::format("--cpus-per-task={}", cores));
  return words;
}

std::string srun_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw Error(ErrorKind::usage, fmt::format("{} is not set: this is a step of srun", name));
  return value;
}

}  // namespace dlrun::process
