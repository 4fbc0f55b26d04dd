// SPDX-License-Identifier: Apache-2.0
// Workers as jobs of a Slurm cluster.
#pragma once
#include "executor/hub.hpp"
#include "executor/slurm/options.hpp"

namespace dlrun::executor {

/// Executor whose start() submits jobs, each with workers that connect by themselves. Three jobs in a row without a
/// worker stop the study, as do three refused submissions if none ever succeeded: Error(no_worker) with what was
/// printed.
class SlurmExecutor final : public Hub {
 public:
  explicit SlurmExecutor(const SlurmOptions& options);
};

}  // namespace dlrun::executor
