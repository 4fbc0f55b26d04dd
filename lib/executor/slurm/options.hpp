// SPDX-License-Identifier: Apache-2.0
// Options of jobs on a Slurm cluster.
#pragma once
#include <string>
#include <vector>

#include "executor/job_options.hpp"

namespace dlrun::executor {

/// Jobs print to <logs>/slurm-<id>.log; the script lies there too.
struct SlurmOptions : JobOptions {
  std::string scratch;  ///< folder for a worker's files, may hold shell variables; empty: it works in the store
  std::string partition, account, qos;  ///< empty: the cluster's own
  std::string memory;                   ///< memory of a job, as sbatch takes it ("4G"); empty: the cluster's own
  std::string gres;                     ///< GPUs of a job, "gpu:1"; empty: none
  std::string time;                     ///< time limit of a job, as sbatch takes it; empty: the partition's own
  int nodes = 1;                        ///< hosts of a job; its worker runs on the first
  int workers_per_job = 1;
  double notice = 120;                 ///< seconds before the time limit at which workers are asked to save and end
  std::vector<std::string> arguments;  ///< further ones of sbatch, "--constraint=a100"
  std::vector<std::string> prologue;   ///< lines of shell before the worker starts, "module load cuda"
};

}  // namespace dlrun::executor
