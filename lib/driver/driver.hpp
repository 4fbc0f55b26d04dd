// SPDX-License-Identifier: Apache-2.0
// The loop: events in, effects out. The one room that knows study, storage and executor. One io_context, one thread;
// parallelism is processes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "trial/trial.hpp"
#include "util/network.hpp"

namespace dlrun::driver {

/// Options of one run, which are no part of the study.
struct Options {
  std::filesystem::path store = "dlrun-store";
  int workers = 0;                                   ///< 0: one per core; no more are started than lanes or trials
  bool only_joined = false;                          ///< start no worker, wait for those that join
  std::optional<HostPort> listen = {};               ///< workers of other machines may join there
  std::filesystem::path worker_binary;               ///< empty: dlrun-worker beside this program
  std::string executor;                              ///< "local", "slurm", a plugin; empty: as the study says
  std::string command;                               ///< the command line, for the lineage
  bool take_over = false;                            ///< end or fence the driver that holds the study
  bool amend = false;                                ///< take the spec for a new version of the study's
  std::map<std::string, std::string> defaults = {};  ///< amend: what trials so far had of a new parameter, by name
};

/// A piece that a worker runs.
struct RunningPiece {
  trial::Member member;
  std::int64_t epochs = 0;    ///< done so far, those before the piece included
  std::vector<double> curve;  ///< objective by epoch, evenly spaced, the last epoch included; may hold NaN
  Json params;                ///< {parameter: value} of the trial
};

/// State of a run for a display; passed on the driver's thread, at most every 100 ms and when the run ends.
struct Progress {
  std::int64_t trials_done = 0, trials_started = 0, trials_failed = 0, trials_pruned = 0, running = 0, workers = 0;
  std::int64_t trials_paused = 0;  ///< paused at a rung, may go on
  std::int64_t trials_completed = 0, trials_cancelled = 0;
  std::int64_t epochs = 0;         ///< epochs done in all trials together, those of pieces under way included
  std::int64_t epochs_before = 0;  ///< epochs done before this run began
  std::optional<std::int64_t> trials_limit;
  std::optional<double> best;
  std::int64_t best_trial = -1;
  /// Seconds since this run began.
  double seconds = 0;
  /// Pieces of the newest trials, at most kMostShown; `running` counts all.
  std::vector<RunningPiece> pieces = {};
  static constexpr std::size_t kMostShown = 64;
};

class Display {
 public:
  virtual ~Display() = default;
  virtual void progress(const Progress& progress) = 0;
  virtual void line(const std::string& text) = 0;  ///< tells a person something: a worker lost, a trial failed
};

struct Summary {
  bool finished = false;  ///< the search is over; false: stopped or interrupted, resumable
  bool interrupted = false;
  bool out_of_time = false;  ///< a limit of time of the study ended the run; there is more to do
  std::string reason;
  std::int64_t completed = 0, pruned = 0, failed = 0, cancelled = 0;
  std::optional<double> best;
  std::int64_t best_trial = -1;
};

/// Runs a study to its end, starting or resuming it: the same hash resumes, another is refused with a diff, or
/// amends the study if that is asked for.
/// SIGINT or SIGTERM once: workers checkpoint and end, the summary says interrupted; twice: at once.
/// @throws Error(store) locked or another spec under this name, Error(no_worker), Error(outside).
Summary run_study(const spec::StudySpec& file, const Options& options, Display& display);

/// Script that would be handed to sbatch; empty if workers are processes of this machine.
/// @throws Error(usage) if it holds something that sbatch cannot take
std::string batch_script(const spec::StudySpec& spec, const Options& options);

/// Name of the plugin that would start workers; nullopt: none would. @throws Error(usage) if --executor names none that
/// there is
std::optional<std::string> executor_plugin(const spec::StudySpec& spec, const Options& options);

/// Sends a command to the driver that holds the study ("stop", "cancel", "status"); nullopt: none is running.
/// @throws Error(outside) if the driver does not answer within two seconds.
std::optional<Json> ask_running(const std::filesystem::path& store, const std::string& study, const Json& request);

}  // namespace dlrun::driver
