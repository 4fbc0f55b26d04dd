// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "driver/asking.hpp"
#include "driver/crew_size.hpp"
#include "driver/driver.hpp"
#include "driver/endpoint.hpp"
#include "driver/environment.hpp"
#include "driver/foreign_weights.hpp"
#include "driver/gpus_of_worker.hpp"
#include "driver/keeping.hpp"
#include "driver/loop.hpp"
#include "driver/plugin_jobs.hpp"
#include "driver/program_state.hpp"
#include "driver/slurm.hpp"
#include "driver/take_over.hpp"
#include "driver/workers.hpp"
#include "energy/counters.hpp"
#include "executor/gpu_slots.hpp"
#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "spec/gang_processes.hpp"
#include "spec/lanes.hpp"
#include "storage/paths.hpp"
#include "storage/staging.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/gpus.hpp"

namespace dlrun::driver {

namespace {

/// Summary of a study that needs no run.
Summary summary_of(const study::Study& study) {
  Tally tally;
  tally.count(study);
  return summary_of(study, tally);
}

/// Removes partial checkpoints when no worker is alive: one that was told to give up a trial may have saved it once
/// more.
void remove_partials(const study::Study& study, storage::Store& store) {
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const trial::TrialState state = study.trial(trial::TrialId(i)).state;
    if (trial::is_final(state) && state != trial::TrialState::failed)
      store.artifacts().remove_partials(trial::TrialId(i));
  }
}

void tell_reach(const executor::Reach& reach, const std::filesystem::path& file, const Options& options,
                Display& display) {
  std::string places;
  for (const std::string& host : reach.addresses) {
    places += (places.empty() ? "" : ", ") + to_text(HostPort{host, reach.port});
  }
  display.line("listening on " + places + (options.only_joined ? "; waiting for a worker to join" : "") +
               "; workers join with: dlrun-worker --endpoint " + file.string());
}

/// Executor of a study with what belongs to it, and the number of workers that it is to start.
struct Crew {
  std::unique_ptr<storage::Staging> staging;  ///< for artifacts of workers that do not see the store
  std::unique_ptr<executor::Hub> hub;
  std::string token;  ///< as in NetworkOptions; empty: no worker of another machine may join
  int workers = 0;
  bool brings_all = false;  ///< a worker that it did not start may not join
};

/// Makes the folder for travelling artifacts; folders of drivers that were killed are deleted first.
std::unique_ptr<storage::Staging> stage(const std::filesystem::path& folder, executor::NetworkOptions& network) {
  storage::Staging::sweep(folder);
  auto staging = std::make_unique<storage::Staging>(folder);
  network.staging = staging->path();
  return staging;
}

/// Number of workers that come from elsewhere: as asked for, but no more than have work.
int jobs_wanted(const spec::StudySpec& spec, const Options& options) {
  const int useful = useful_workers(spec);
  return options.workers > 0 ? std::min(options.workers, useful) : useful;
}

Crew slurm_crew(const spec::StudySpec& spec, const spec::Slurm& slurm, const Options& options,
                const std::filesystem::path& folder, int wake_fd) {
  auto asked = slurm_options(spec, slurm, folder, worker_binary(options), options, wake_fd);
  auto staging = stage(folder, *asked.network);
  return {std::move(staging), std::make_unique<executor::SlurmExecutor>(asked), asked.network->token,
          jobs_wanted(spec, options), true};
}

/// A study that was created for Slurm may be resumed elsewhere.
void require_one_host(const spec::StudySpec& spec) {
  if (spec.nodes == 1) return;
  throw Error(ErrorKind::usage, "resources.nodes: several hosts for a trial are Slurm's to give, but workers run here",
              "--executor slurm");
}

Crew plugin_crew(const spec::StudySpec& spec, const spec::PluginJobs& jobs, const Options& options,
                 const std::filesystem::path& folder, int wake_fd, Display& display) {
  require_one_host(spec);
  display.line(describe(jobs));
  auto asked = plugin_options(spec, jobs, folder, worker_binary(options), options, wake_fd);
  auto staging = stage(folder, *asked.network);
  return {std::move(staging), std::make_unique<executor::PluginExecutor>(asked), asked.network->token,
          jobs_wanted(spec, options), true};
}

Crew local_crew(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder, int wake_fd) {
  require_one_host(spec);
  const std::filesystem::path binary = options.only_joined ? std::filesystem::path() : worker_binary(options);
  executor::LocalOptions local = local_options(spec, folder, binary, wake_fd);
  std::unique_ptr<storage::Staging> staging;
  if (options.listen) {
    local.network = network_options(folder, spec.name, *options.listen);
    staging = stage(folder, *local.network);
  }
  return {std::move(staging), std::make_unique<executor::LocalExecutor>(local),
          local.network ? local.network->token : std::string(), worker_count(options, spec, local.gpus)};
}

Crew make_crew(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder, int wake_fd,
               Display& display) {
  if (const auto slurm = slurm_of(spec, options)) return slurm_crew(spec, *slurm, options, folder, wake_fd);
  if (const auto jobs = plugin_jobs_of(spec, options))
    return plugin_crew(spec, *jobs, options, folder, wake_fd, display);
  return local_crew(spec, options, folder, wake_fd);
}

storage::Executor executor_of(const spec::StudySpec& spec, const Options& options) {
  if (slurm_of(spec, options)) return {.name = "slurm", .version = {}, .sha256 = {}};
  if (const auto jobs = plugin_jobs_of(spec, options)) return recorded(*jobs);
  return {.name = options.only_joined ? "" : "local", .version = {}, .sha256 = {}};
}

/// The environment to be recorded, its artifact kept.
storage::Environment recorded_environment(const spec::StudySpec& spec, const Options& options,
                                          const storage::Store& store) {
  storage::Environment environment = describe_environment(spec, options);
  const ProgramState state = program_state(spec);
  keep_changes(state, store.artifacts().folder());
  environment.program = state.program;
  environment.executor = executor_of(spec, options);
  return environment;
}

Summary run_loop(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder,
                 Opened& opened, Display& display) {
  const MachineClock clock;
  const SignalCounter signals;
  const Crew crew = make_crew(spec, options, folder, signals.fd(), display);
  const Endpoint endpoint(folder, spec.name, *crew.hub, crew.token);
  const auto reach = crew.hub->reach();
  if (reach && !crew.brings_all) tell_reach(*reach, endpoint_file(folder, spec.name), options, display);
  crew.hub->start(crew.workers);
  const auto gpus = executor::gpus_for(spec.device, visible_gpus());
  return Loop(spec, options, opened,
              {.clock = clock,
               .executor = *crew.hub,
               .signals = signals,
               .display = display,
               .counters = energy::open_counters(gpus),
               .environment = recorded_environment(spec, options, *opened.store),
               .gpu_share = gpus_of_worker(spec, options, gpus)})
      .run();
}

/// Is a file missing, or of another size, of those that a finished study keeps and that it can train again?
bool lacks_artifacts(const Opened& opened) {
  if (opened.spec.kind == "function") return false;
  const trial::WorkSetup setup = spec::work_setup(opened.spec, opened.store->artifacts().folder());
  const auto kept = opened.store->artifacts().kept(keep_policy(opened.spec, *opened.study));
  return std::any_of(kept.begin(), kept.end(), [&](const std::string& sha256) {
    return !is_whole(*opened.store, setup, sha256) && opened.store->artifacts().maker_of(sha256);
  });
}

/// The option would change nothing: as many jobs as lanes would be submitted, and workers that join be sent away.
void require_starting(const spec::StudySpec& spec, const Options& options) {
  if (!options.only_joined || !(slurm_of(spec, options) || plugin_jobs_of(spec, options))) return;
  throw Error(ErrorKind::usage, "--workers 0 waits for workers that join by hand, but this study's are started as jobs",
              "add --executor local, or leave out --workers 0");
}

/// Before a new study is written: can it run here?
void require_workers(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder) {
  if (storage::Store::find(folder, spec.name)) return;
  if (!options.only_joined) executor::require_worker_program(worker_binary(options));
  executor::runtime_folder(socket_identity(spec, folder));
}

/// Deletes what a driver left that died between the end of its study and its own.
void sweep(const std::filesystem::path& folder, const std::string& study) {
  std::error_code none;
  std::filesystem::remove(endpoint_file(folder, study), none);
  std::filesystem::remove_all(storage::stages_folder(folder, study), none);
}

}  // namespace

Summary run_study(const spec::StudySpec& file, const Options& options, Display& display) {
  require_own_work(file, options.store);
  require_starting(file, options);
  const std::filesystem::path folder = std::filesystem::absolute(options.store).lexically_normal();
  arithmetic::require();
  require_workers(file, options, folder);
  const spec::StudySpec laned = with_lanes(file, options, folder);
  if (options.take_over) take_over(folder, file.name, display);
  Opened opened = open_study(laned, folder, options, MachineClock());
  const executor::RuntimeFolderEnd sockets(socket_identity(opened.spec, folder));  // gone before the study's lock is
  const spec::StudySpec& spec = opened.spec;
  if (opened.rows == 0 && spec::has_auto_lanes(file.json)) tell_lanes(options, spec, display);
  for (const std::string& warning : opened.store->warnings()) display.line("warning: " + warning);
  for (const std::string& warning : opened.lessons.warnings) display.line("warning: " + warning);
  if (options.amend && !opened.amending && !opened.settings)
    display.line("the spec of '" + spec.name + "' has not changed: nothing to amend");
  const bool is_over = opened.study->is_finished() && !opened.amending && !lacks_artifacts(opened);
  if (!is_over) require_foreign_weights(opened, folder);
  if (!is_over) require_script(spec);
  if (!is_over) tell_unused(options, spec, display);
  if (is_over) sweep(folder, spec.name);
  if (is_over && opened.settings) record_alone(*opened.settings, *opened.store, display);
  Summary summary = is_over ? summary_of(*opened.study) : run_loop(spec, options, folder, opened, display);
  if (summary.finished && spec.kind == "train") remove_partials(*opened.study, *opened.store);
  if (summary.finished && spec.kind != "function") {
    opened.store->artifacts().collect(keep_policy(spec, *opened.study));
  }
  opened.store->close();
  return summary;
}

}  // namespace dlrun::driver
