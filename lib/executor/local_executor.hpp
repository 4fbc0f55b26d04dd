// SPDX-License-Identifier: Apache-2.0
// Executor whose workers are processes of this machine.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executor/hub.hpp"

namespace dlrun::executor {

struct LocalOptions : HubOptions {
  std::filesystem::path binary;   ///< dlrun-worker; empty: no worker is started
  std::filesystem::path logs;     ///< workers print to <logs>/<number>.log
  std::vector<std::string> gpus;  ///< each worker gets one of these (GpuSlots); empty: none
  double gpu_share = 1;           ///< share of a GPU that one worker takes
  bool pin = false;               ///< tie each worker to setup.threads cores of its own
};

/// @throws Error(no_worker) if there is no such program, or it may not be executed.
void require_worker_program(const std::filesystem::path& binary);

/// Version of control groups that can limit a worker and its children together; 0: there is none.
int limiting_cgroup_version();

/// Three workers in a row that end before they are ready stop the study: Error(no_worker) with their last lines.
class LocalExecutor final : public Hub {
 public:
  /// @throws Error(no_worker) if the binary is missing or no program; Error(usage) if the socket's path is too long.
  /// start() throws Error(usage) if workers are to be pinned and there are too few cores.
  explicit LocalExecutor(const LocalOptions& options);
};

}  // namespace dlrun::executor
