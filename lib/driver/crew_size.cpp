// SPDX-License-Identifier: Apache-2.0
#include "driver/crew_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/cores.hpp"
#include "driver/plugin_jobs.hpp"
#include "driver/recorded_study.hpp"
#include "driver/slurm.hpp"
#include "executor/gpu_slots.hpp"
#include "spec/gang_processes.hpp"
#include "spec/lanes.hpp"
#include "storage/store.hpp"
#include "util/gpus.hpp"

namespace dlrun::driver {

namespace {

/// Number of workers: as asked for, else as many as cores and places on GPUs allow.
int wanted_workers(const Options& options, const spec::StudySpec& spec, const std::vector<std::string>& gpus) {
  const int by_cores = usable_cores() / spec::cores_of(spec);
  const bool is_by_gpus = !gpus.empty() || spec.gpus;
  const int by_places =
      is_by_gpus ? executor::GpuSlots(gpus, spec.gpu_share, spec.gpus.value_or(1)).workers() : by_cores;
  return std::max(1, options.workers > 0 ? options.workers : std::min(by_cores, by_places));
}

/// Most workers that a cluster or a plugin may bring, 0 without a limit; nullopt: neither brings any.
std::optional<int> most_of_jobs(const spec::StudySpec& spec, const Options& options) {
  if (const auto slurm = slurm_of(spec, options)) return slurm->jobs * slurm->workers_per_job;
  if (const auto plugin = plugin_jobs_of(spec, options)) return plugin->jobs;
  return std::nullopt;
}

/// Workers that a new study is to have; where others join or a cluster has no limit, as many as one would expect.
int expected_workers(const Options& options, const spec::StudySpec& spec) {
  constexpr int kUnknown = 8;
  const std::optional<int> of_jobs = most_of_jobs(spec, options);
  const bool is_open = options.only_joined || (of_jobs && options.workers == 0);
  if (is_open) return of_jobs.value_or(0) > 0 ? *of_jobs : kUnknown;
  return wanted_workers(options, spec, executor::gpus_for(spec.device, visible_gpus()));
}

/// Members of all trials; without a limit more than lanes.
std::int64_t members_of(const spec::StudySpec& spec) {
  return spec.rules.limits.trials.value_or(spec.rules.lanes + 1) * spec.rules.members.count();
}

}  // namespace

int useful_workers(const spec::StudySpec& spec) {
  return int(std::clamp<std::int64_t>(members_of(spec), 1, spec.rules.lanes));
}

int worker_count(const Options& options, const spec::StudySpec& spec, const std::vector<std::string>& gpus) {
  return options.only_joined ? 0 : std::min(wanted_workers(options, spec, gpus), useful_workers(spec));
}

spec::StudySpec with_lanes(const spec::StudySpec& file, const Options& options, const std::filesystem::path& folder) {
  if (!spec::has_auto_lanes(file.json)) return file;
  const auto versions = storage::Store::versions(folder, file.name);
  const int lanes =
      versions.empty() ? spec::lanes_for(expected_workers(options, file), file) : spec_of(versions.back()).rules.lanes;
  return spec::with_lanes(file, lanes);
}

void tell_lanes(const Options& options, const spec::StudySpec& spec, Display& display) {
  if (spec.rules.limits.trials == 1) return;  // there is no search
  const int lanes = spec.rules.lanes, workers = expected_workers(options, spec);
  display.line(fmt::format("{}: {} lane{} for {} worker{}; `search: {{lanes: {}}}` makes it the same search elsewhere",
                           spec.name, lanes, lanes == 1 ? "" : "s", workers, workers == 1 ? "" : "s", lanes));
}

void tell_unused(const Options& options, const spec::StudySpec& spec, Display& display) {
  if (spec.pin && most_of_jobs(spec, options))
    display.line("resources.pin changes nothing for workers that are jobs: they run on the cores of their job");
  const int lanes = spec.rules.lanes;
  if (options.workers <= lanes || members_of(spec) <= lanes) return;
  display.line(fmt::format("{} workers were asked for, but search.lanes of '{}' is {}: {} {} started", options.workers,
                           spec.name, lanes, lanes, lanes == 1 ? "is" : "are"));
}

}  // namespace dlrun::driver
