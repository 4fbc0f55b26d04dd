// SPDX-License-Identifier: Apache-2.0
// Options of jobs on a Slurm cluster.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executor/hub_options.hpp"

namespace dlrun::executor {

struct SlurmOptions : HubOptions {
  std::string name;               ///< name of the jobs, one for each study and store, by which they are found again
  std::vector<std::string> call;  ///< command of a worker: program and arguments; `--job ID` is added in the script
  std::string scratch;         ///< folder for a worker's files, may hold shell variables; empty: it works in the store
  std::filesystem::path logs;  ///< jobs print to <logs>/slurm-<id>.log; the script lies there too
  std::string partition, account, qos;  ///< empty: the cluster's own
  std::string memory;                   ///< memory of a job, as sbatch takes it ("4G"); empty: the cluster's own
  std::string gres;                     ///< GPUs of a job, "gpu:1"; empty: none
  std::string time;                     ///< time limit of a job, as sbatch takes it; empty: the partition's own
  int cores = 1;                        ///< cores of a worker, on each of its nodes
  int nodes = 1;                        ///< hosts of a job; its worker runs on the first
  int workers_per_job = 1;
  int jobs = 0;                        ///< most at once; 0: as many as there are workers wanted
  double idle = 300;                   ///< seconds without work after which a worker gives its place back
  double notice = 120;                 ///< seconds before the time limit at which workers are asked to save and end
  double poll = 5;                     ///< seconds between questions to squeue
  std::vector<std::string> arguments;  ///< further ones of sbatch, "--constraint=a100"
  std::vector<std::string> prologue;   ///< lines of shell before the worker starts, "module load cuda"
};

}  // namespace dlrun::executor
