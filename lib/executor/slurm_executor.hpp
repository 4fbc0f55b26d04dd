// SPDX-License-Identifier: Apache-2.0
// Workers as jobs of a Slurm cluster.
#pragma once
#include "executor/hub.hpp"
#include "executor/slurm/options.hpp"

namespace dlrun::executor {

/// start() submits jobs; each brings workers that connect by themselves. Three jobs in a row without a worker, or three
/// submissions that are refused where none ever succeeded, stop the study: Error(no_worker) with what was printed.
class SlurmExecutor final : public Hub {
 public:
  explicit SlurmExecutor(const SlurmOptions& options);
};

}  // namespace dlrun::executor
