// SPDX-License-Identifier: Apache-2.0
// Workers as processes on this machine.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executor/hub.hpp"

namespace dlrun::executor {

struct LocalOptions : HubOptions {
  std::filesystem::path binary;   ///< dlrun-worker; empty: none is to be started
  std::filesystem::path logs;     ///< folder of the files <number>.log with what workers print
  std::vector<std::string> gpus;  ///< workers are given one each (GpuSlots); empty: none is
  double gpu_share = 1;           ///< part of a GPU that one worker takes
  int processes = 1;              ///< a worker's, with those that train a trial beside it
  bool pin = false;               ///< tie each worker to cores of its own, setup.threads of each device of each of them
};

/// Checks the program of workers. @throws Error(no_worker) if it does not exist or may not be executed.
void require_worker_program(const std::filesystem::path& binary);

/// The version of control groups by which workers and what they start can be limited together; 0: by none.
int limiting_cgroup_version();

/// Three workers in a row that end before they are ready stop the study: Error(no_worker) with what they printed.
class LocalExecutor final : public Hub {
 public:
  /// @throws Error(no_worker) if the binary is missing or no program; Error(usage) if the socket's path is too long.
  /// start() throws Error(usage) if workers are to be pinned and there are not enough cores.
  explicit LocalExecutor(const LocalOptions& options);
};

}  // namespace dlrun::executor
