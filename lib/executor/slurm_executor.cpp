// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm_executor.hpp"

#include "executor/slurm/pool.hpp"

namespace dlrun::executor {

SlurmExecutor::SlurmExecutor(const SlurmOptions& options) : Hub(options, std::make_unique<SlurmPool>(options)) {}

}  // namespace dlrun::executor
