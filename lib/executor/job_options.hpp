// SPDX-License-Identifier: Apache-2.0
// Options of workers that come from elsewhere by themselves: jobs of a cluster or of a plugin.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executor/hub_options.hpp"

namespace dlrun::executor {

struct JobOptions : HubOptions {
  std::string name;               ///< one for each study and store, by which its jobs are found again
  std::vector<std::string> call;  ///< command of a worker: program and arguments; `--job ID` is added
  std::filesystem::path logs;     ///< folder for what workers print, and for files of the pool
  int cores = 1;                  ///< cores of a worker, on each of its nodes
  int jobs = 0;                   ///< most at once; 0: as many as there are workers wanted
  double idle = 300;              ///< seconds without work after which a worker gives its place back
  double poll = 5;                ///< seconds between questions for the jobs' states
};

}  // namespace dlrun::executor
