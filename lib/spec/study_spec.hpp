// SPDX-License-Identifier: Apache-2.0
// A study, read and checked, for the driver to run. Every fault of the file is found in one pass, each with its place.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ablation/plan.hpp"
#include "ablation/proposals.hpp"
#include "dataset/dataset.hpp"
#include "document/diagnostic.hpp"
#include "document/fence.hpp"
#include "model/graph.hpp"
#include "pruners/pruner.hpp"
#include "samplers/cell_sampler.hpp"
#include "samplers/race_sampler.hpp"
#include "samplers/retune_sampler.hpp"
#include "samplers/round_sampler.hpp"
#include "space/space.hpp"
#include "study/types.hpp"
#include "tensors/weights.hpp"
#include "trial/runner.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

inline constexpr std::size_t kLongestName = 100;  ///< characters of a study's name

/// Treatment of `ablation:` in a file: a search refuses it, `check` reads whatever is there.
enum class Ablation { refused, allowed, required };

/// Files and folders that a study is read from.
struct Source {
  std::filesystem::path file;                         ///< study.yaml
  std::vector<std::string> sets;                      ///< --set key=value, in order
  std::vector<std::filesystem::path> data_folders;    ///< --data DIR, DLRUN_DATA
  std::vector<std::filesystem::path> config_folders;  ///< folders that `extends:` searches too; empty: config_folders()
  Ablation ablation = Ablation::refused;
  std::filesystem::path over = {};   ///< laid over `file`, as if it extended it; empty: nothing
  std::filesystem::path start = {};  ///< meaning of `ablation: {path: {from: default}}`; empty: a file of that name
  /// Where the store keeps the checkpoint of a hash; none: donors that lie there are not looked at.
  std::function<std::filesystem::path(const std::string& sha256)> checkpoint = {};
  /// Whether the store has a study of that name; none: that is not looked at.
  std::function<bool(const std::string& name)> has_study = {};
  std::string executor = {};                  ///< --executor: local, slurm or a plugin; empty: as the study says
  std::optional<std::string> text = {};       ///< content of `file`, which is not read then
  std::optional<document::Fence> fence = {};  ///< for studies of others: files that may be read; no environment
};

/// Checkpoints that stay when the search has ended: all of the `best` trials, of others the `last` or those at rungs.
struct Keep {
  int best = 3;
  int last = 1;
  bool rungs = true;
  bool all = false;
  std::vector<std::int64_t> epochs = {};  ///< kept for every trial
};

/// `winner:`: the best trials of a search run again and race.
struct Winner {
  int candidates = 5;
  int seeds = 5;                  ///< runs of each candidate that does not drop out
  std::optional<int> budget;      ///< runs of all together, at most
  std::optional<std::string> of;  ///< in the race itself: the search
};

/// Workers are jobs of a Slurm cluster; an empty text leaves the choice to the cluster.
struct Slurm {
  std::string partition, account, qos, time, mem, gres;
  int cpus = 0;  ///< for a worker; 0: as threads_per_trial
  int workers_per_job = 1;
  int jobs = 0;                       ///< most at once; 0: not limited
  double idle = 300;                  ///< seconds without work after which a worker gives its place back
  double notice = 120, poll = 5;      ///< seconds of notice before the time limit; between questions to squeue
  std::string listen;                 ///< empty: all addresses, any port
  std::string scratch;                ///< folder of a node's own, with variables of the shell; empty: the store
  std::vector<std::string> args;      ///< further options for sbatch
  std::vector<std::string> prologue;  ///< lines of shell
};

/// Workers that a plugin starts.
struct PluginJobs {
  std::string plugin;        ///< name of the plugin
  Json options = {};         ///< the section; a key that is missing has its default
  int jobs = 0;              ///< most at once; 0: not limited
  double idle = 300;         ///< seconds without work after which a worker gives its place back
  double poll = 5;           ///< seconds between questions for states
  std::string listen = {};   ///< empty: all addresses, any port
  std::string scratch = {};  ///< folder where workers work; empty: the store
};

/// Delay of a piece before it is tried again, doubled with each loss of it. No result depends on it.
struct RetryDelay {
  double first = 1, most = 60;  ///< seconds
};

/// When a piece that is far behind is begun a second time, on a worker without work.
struct Speculation {
  double factor = 2;  ///< times the time that pieces like it took
  double after = 10;  ///< seconds that it must have run
};

/// A checked study. `json` is the normal form: extends, set and env applied, every default filled in, paths absolute.
/// `space` is a list there (order counts), `derived.data` has the facts of the data.
struct StudySpec {
  std::string name;
  std::string text;  ///< the file as written
  Json json;
  std::string hash;  ///< SHA-256 of json without resources, executor, limits.wall and other times
  std::uint64_t seed = 0;
  study::Rules rules;  ///< seed, lanes, slack, objective, limits, retries, epochs, cost: complete
  space::Space space;
  std::string sampler = "auto";
  Json sampler_options;  ///< normal form of a plugin's section, with `op`; null: the sampler is built in
  std::optional<ablation::Plan> ablation;
  std::optional<samplers::CellOptions>
      cells;  ///< for an ablation that looks at its replicates; takes the sampler's place
  std::optional<samplers::RetuneOptions> retune;  ///< for an ablation that tunes its variants first; beside `cells`
  std::optional<samplers::RoundOptions> rounds;   ///< for an ablation in rounds; takes the sampler's place
  std::optional<samplers::RaceOptions> race;      ///< for a race of variants; takes the sampler's place
  std::optional<Winner> winner;                   ///< a race follows the search, or this is one
  std::vector<std::string> learn_from;            ///< names of earlier studies
  pruners::PrunerOptions pruner;
  Json pruner_options;  ///< normal form of a plugin's section, with `op`; null: the pruner is built in
  std::optional<double> wall_seconds;
  std::optional<double> gpu_hours;  ///< sum over all runs
  int threads_per_trial = 1;
  std::optional<int> devices;              ///< parts of a machine that compute a placed model; nullopt: one
  std::string device = "cpu";              ///< cpu | auto | cuda | cuda:N
  double gpu_share = 1;                    ///< part of a GPU that one worker takes
  std::optional<int> gpus;                 ///< GPUs of a program, on each of its hosts; nullopt: as device says
  int nodes = 1;                           ///< hosts of a program
  std::optional<int> parked;               ///< programs that wait on one worker; nullopt: what its memory allows
  std::optional<int> parked_mb;            ///< memory of programs that wait; nullopt: half of what is free
  bool pin = false;                        ///< workers have cores of their own
  std::optional<Speculation> speculation;  ///< none: never
  std::optional<Slurm> slurm;              ///< workers are jobs of a cluster
  std::optional<PluginJobs> plugin_jobs;  ///< a plugin starts workers; with neither, they are processes of this machine
  std::int64_t log_bytes = 64'000'000;
  std::int64_t memory_bytes = 0;  ///< for a worker (resources.memory_mb); 0: no limit
  std::string determinism;
  double trial_time_limit = 0;  ///< seconds, 0: none (limits.trial_wall)
  double hang_seconds = 60;     ///< no step for this long is a hang (limits.hang)
  double silence_seconds = 0;   ///< a program's, 0: no limit (limits.silence)
  int failure_limit = -1;  ///< failed trials above which the exit code is 1 (limits.failures); -1: none may succeed
  RetryDelay retry_delay;
  Keep keep;
  std::string kind = "train";  ///< train | function | command | asked
  // train only:
  std::optional<dataset::Schema> data;
  std::optional<model::Graph> base_model;  ///< with the base configuration's values
};

struct Warning {
  std::string text;
};

/// Checkpoints that stay when the search has ended, in words: their trials and epochs.
std::string kept_text(const StudySpec& spec);

using SpecError = document::DocumentError;

/// `configs` beside this program or above it (a build folder lies below the project's root).
std::vector<std::filesystem::path> config_folders();

/// Reads and checks a study.
/// @throws SpecError whose what() is the complete, rendered list of faults (file:line:col, source line, caret, help);
/// Error(usage) if the file itself cannot be read.
StudySpec read(const Source& source, std::vector<Warning>* warnings = nullptr);

/// `ablation:` with all that could be left out of a study's trial, as YAML that can be run, each with its reason.
/// @throws SpecError, Error(usage) if there is nothing
std::string suggest_ablation(const Source& source);

/// Components that a program proposes for the study. @throws SpecError
ablation::Proposed propose_ablation(const Source& source, const ablation::ProposalOptions& options,
                                    const ablation::AskProposer& ask);

/// Tensors that a file of weights needs for the model of a trial; nullopt if there is no such model.
/// @param schema  of the trial's data
std::optional<std::vector<tensors::Wanted>> model_tensors(const Json& trial, const dataset::Schema& schema);

/// A study from the normal form that the store holds, which has no places any more.
StudySpec from_json(const Json& json, const std::string& text);

/// `final:` of a file that says nothing else, `source.over` laid over it, in its normal form.
/// @param kind  of the search's trials
/// @throws SpecError, Error(usage)
Json read_final(const Source& source, const std::string& kind);

/// Settings that are handed to every worker.
trial::WorkSetup work_setup(const StudySpec& spec, const std::filesystem::path& artifacts);

/// JSON Schema (draft-07) of a study file, from the table that read() checks with.
Json schema();

/// Every key with its values, default and meaning, as a page of Markdown: a table for each section and kind.
std::string reference();

/// Every default as commented YAML (`dlrun check --show-defaults`).
std::string show_defaults();

}  // namespace dlrun::spec
