// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "driver/cores.hpp"
#include "driver/driver.hpp"
#include "driver/endpoint.hpp"
#include "driver/loop.hpp"
#include "driver/workers.hpp"
#include "executor/gpu_slots.hpp"
#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::driver {

namespace {

std::filesystem::path worker_binary(const Options& options) {
  if (!options.worker_binary.empty()) return std::filesystem::absolute(options.worker_binary);
  std::error_code fault;
  return std::filesystem::read_symlink("/proc/self/exe", fault).parent_path() / "dlrun-worker";
}

/// What was asked for, or one per core, or one for each place on a GPU; never more than there are pieces in flight.
int worker_count(const Options& options, const spec::StudySpec& spec, const std::vector<std::string>& gpus) {
  const std::int64_t trials = spec.rules.limits.trials.value_or(spec.rules.lanes);
  const std::int64_t members = trials * spec.rules.members.count();
  const int useful = int(std::max<std::int64_t>(1, std::min<std::int64_t>(members, spec.rules.lanes)));
  const int by_cores = usable_cores() / std::max(1, spec.threads_per_trial);
  const int by_places = gpus.empty() ? by_cores : executor::GpuSlots(gpus, spec.gpu_share).workers();
  const int wanted = options.workers > 0 ? options.workers : std::min(by_cores, by_places);
  return std::clamp(wanted, 1, useful);
}

/// Of a study that needs nothing more.
Summary finished_summary(const study::Study& study) {
  Tally tally;
  tally.count(study);
  Summary s;
  s.finished = true;
  s.reason = study.finish_reason();
  s.completed = tally.in(trial::TrialState::completed);
  s.pruned = tally.in(trial::TrialState::pruned);
  s.failed = tally.in(trial::TrialState::failed);
  s.cancelled = tally.in(trial::TrialState::cancelled);
  if (const auto best = study.best()) {
    s.best = study.trial(*best).objective;
    s.best_trial = best->value;
  }
  return s;
}

std::vector<std::int64_t> front_of(const study::Study& study) {
  std::vector<std::int64_t> numbers;
  for (const trial::TrialId id : study.front()) numbers.push_back(id.value);
  return numbers;
}

/// Once more, with no worker alive: one that was told to give up a trial may have saved it once more.
void remove_partials(const study::Study& study, storage::Store& store) {
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const trial::TrialState state = study.trial(trial::TrialId(i)).state;
    if (trial::is_final(state) && state != trial::TrialState::failed) store.remove_partials(trial::TrialId(i));
  }
}

Summary run_loop(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder,
                 Opened& opened, Display& display) {
  const SignalCounter signals;
  const executor::LocalOptions local = local_options(spec, folder, worker_binary(options), signals.fd());
  executor::LocalExecutor executor(local);
  const Endpoint endpoint(folder, spec.name, executor.address());
  executor.start(worker_count(options, spec, local.gpus));
  return Loop(spec, options, opened, executor, signals, display).run();
}

/// Before a new study is written: can it run here?
void require_workers(const spec::StudySpec& spec, const Options& options, const std::filesystem::path& folder) {
  if (storage::Store::find(folder, spec.name)) return;
  executor::require_worker_program(worker_binary(options));
  executor::runtime_folder(folder.string() + '\n' + spec.name);
}

}  // namespace

Summary run(const spec::StudySpec& file, const Options& options, Display& display) {
  const std::filesystem::path folder = std::filesystem::absolute(options.store).lexically_normal();
  require_workers(file, options, folder);
  Opened opened = open_study(file, folder, options);
  const spec::StudySpec& spec = opened.spec;
  for (const std::string& warning : opened.store->warnings()) display.line("warning: " + warning);
  for (const std::string& warning : opened.lessons.warnings) display.line("warning: " + warning);
  if (options.amend && !opened.amending)
    display.line("the spec of '" + spec.name + "' has not changed: nothing to amend");
  const bool is_over = opened.study->is_finished() && !opened.amending;
  Summary summary = is_over ? finished_summary(*opened.study) : run_loop(spec, options, folder, opened, display);
  if (summary.finished && spec.kind == "train") remove_partials(*opened.study, *opened.store);
  if (summary.finished && spec.kind != "function") {
    storage::KeepPolicy keep{spec.keep.best, spec.keep.last, spec.keep.rungs};
    if (!spec.rules.further.empty()) keep.also = front_of(*opened.study);
    opened.store->collect_artifacts(keep);
  }
  opened.store->close();
  return summary;
}

}  // namespace dlrun::driver
