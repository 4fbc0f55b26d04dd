// SPDX-License-Identifier: Apache-2.0
// Executor whose workers are jobs of a Slurm cluster.
#pragma once
#include "executor/hub.hpp"
#include "executor/slurm/options.hpp"

namespace dlrun::executor {

/// Submits jobs, whose workers connect by themselves. Three jobs in a row without a worker stop the study, and so do
/// three refused submissions if none ever succeeded: Error(no_worker) with the output.
class SlurmExecutor final : public Hub {
 public:
  explicit SlurmExecutor(const SlurmOptions& options);
};

}  // namespace dlrun::executor
