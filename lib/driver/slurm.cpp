// SPDX-License-Identifier: Apache-2.0
#include "driver/slurm.hpp"

#include <fmt/format.h>

#include "driver/jobs.hpp"
#include "driver/workers.hpp"
#include "executor/slurm/script.hpp"
#include "spec/gang_processes.hpp"

namespace dlrun::driver {

namespace {

/// Cores that a worker's processes need on each of its hosts.
int cores_on_a_host(const spec::StudySpec& spec) {
  const int processes = spec::processes_of(spec), each = spec::cores_of(spec) / processes;
  return (processes + spec.nodes - 1) / spec.nodes * each;
}

}  // namespace

std::optional<spec::Slurm> slurm_of(const spec::StudySpec& spec, const Options& options) {
  if (options.executor == "slurm") return spec.slurm.value_or(spec::Slurm());
  return options.executor.empty() ? spec.slurm : std::nullopt;
}

executor::SlurmOptions slurm_options(const spec::StudySpec& spec, const spec::Slurm& slurm,
                                     const std::filesystem::path& folder, const std::filesystem::path& binary,
                                     const Options& options, int wake_fd) {
  executor::SlurmOptions out;
  fill_jobs(out, {spec, folder, binary, options, slurm.listen, wake_fd});
  out.scratch = slurm.scratch;
  out.partition = slurm.partition;
  out.account = slurm.account;
  out.qos = slurm.qos;
  out.memory = slurm.mem;
  out.gres = slurm.gres.empty() && spec.gpus ? fmt::format("gpu:{}", *spec.gpus) : slurm.gres;
  out.time = slurm.time;
  out.cores = slurm.cpus > 0 ? slurm.cpus : cores_on_a_host(spec);
  out.nodes = spec.nodes;
  out.workers_per_job = slurm.workers_per_job;
  out.jobs = slurm.jobs;
  out.idle = slurm.idle;
  out.notice = slurm.notice;
  out.poll = slurm.poll;
  out.arguments = slurm.args;
  out.prologue = slurm.prologue;
  return out;
}

std::string batch_script(const spec::StudySpec& spec, const Options& options) {
  const std::filesystem::path folder = std::filesystem::absolute(options.store).lexically_normal();
  const auto slurm = slurm_of(spec, options);
  return slurm ? executor::batch_script(slurm_options(spec, *slurm, folder, worker_binary(options), options, -1)) : "";
}

}  // namespace dlrun::driver
