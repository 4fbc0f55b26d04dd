// SPDX-License-Identifier: Apache-2.0
// How a worker runs one piece of work. There is a Runner for each kind of trial: `function` and `command` in
// lib/worker, `train` in lib/train behind the trainer library (a shared object of ours, opened when first needed, so
// that a worker without training never loads libtorch).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trial/gang_report.hpp"
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::trial {

/// State that members have in common after so many epochs, in a folder that all of them know. The first one there
/// leaves it; a stage that is missing, damaged or does not fit costs time only.
struct StagePlace {
  std::int64_t epoch = 0;
  std::string folder;
  bool operator==(const StagePlace&) const = default;
};

/// One piece of work. All paths are absolute.
struct PieceOrder {
  PieceKey key;
  int attempt = 0;
  std::string task = "train";    ///< "train" (go from from_step to to_step) or "test" (measure the test split, once)
  std::int64_t from_step = 0;    ///< epochs done before this piece
  std::int64_t to_step = 0;      ///< epochs done after it
  std::uint64_t seed = 0;        ///< the study's seed; streams are keyed by (seed, replicate, purpose, name)
  Json params;                   ///< parameter name -> value, active parameters only
  Json sets;                     ///< place -> value, what `at:` says; applied to the study's trial section
  std::string resume;            ///< sha256 of the artifact the piece goes on from; empty at step 0
  std::int64_t resume_step = 0;  ///< epochs behind that artifact, of a program perhaps fewer than from_step
  std::string program;           ///< socket of this host at which the trial's program waits for the piece; empty: none
  bool inherits = false;         ///< `resume` is another trial's: its weights and state, this one's settings
  std::string partial;           ///< folder of an earlier attempt of this piece whose epoch checkpoints may be resumed
  std::string folder;            ///< the attempt's own folder, existing, nobody else writes there
  std::optional<StagePlace> shared;  ///< where it may begin, inside of the piece or at its end
  std::vector<StagePlace> leaves;    ///< stages to leave for others, ascending
  std::vector<Artifact> replays;     ///< records of the piece's epochs, which are replayed; none: ranks are processes
};

/// Settings that all orders of a study share; sent once, when a worker is welcomed.
struct WorkSetup {
  std::string study;
  Json trial;          ///< the normalised `trial:` section (kind, data, model, optimizer, …), paths absolute
  Json parameters;     ///< places by parameter, for messages: {name: at}
  std::string metric;  ///< the objective's metric
  std::vector<std::string> needed;  ///< metrics that decisions rest on: of all objectives and bounds
  std::string values;               ///< metric of which the values of single validation examples are kept; empty: none
  bool maximize = false;
  bool keep_best = false;                 ///< objective.at is best: keep the best epoch's checkpoint too
  std::vector<std::int64_t> keep_epochs;  ///< keep.epochs: checkpoints after these stay too
  int threads = 1;                        ///< resources.threads_per_trial
  int devices = 1;                        ///< resources.devices: that compute a placed model, with threads of their own
  std::string device = "cpu";             ///< resources.device: cpu | auto | cuda | cuda:N
  double gpu_share = 1;                   ///< resources.gpu_share: of a GPU's memory, what one worker may take
  int gpus = 0;                           ///< resources.gpus: of a program, on each of its hosts; 0: as device says
  int nodes = 1;                          ///< resources.nodes: hosts of a program
  std::string key;                        ///< file of the study's key, as a worker that joined found it; else empty
  std::string determinism;                ///< "" | "portable"
  std::string artifacts;                  ///< the store's artifacts/ folder
  std::int64_t log_bytes = 64'000'000;    ///< resources.log_mb: of an attempt's log, what is written
  std::int64_t memory_bytes = 0;  ///< resources.memory_mb: of this process and of each that it starts, 0: no limit
  int parked = -1;                ///< resources.parked: programs that wait on one worker; -1: what the memory allows
  std::int64_t parked_bytes = 0;  ///< resources.parked_memory_mb: their memory; 0: half of what is free
  double time_limit = 0;          ///< seconds a piece may take, 0: none
  double hang_limit = 0;          ///< limits.hang: seconds without a step after which a training hangs, 0: no limit
  double silence_limit = 0;       ///< seconds for which a program may say nothing, 0: no limit
  std::string data_sha256;        ///< hash of the data that the study recorded; empty: it has no data
  Json plugins;                   ///< {name: {kind, version, sha256}} of those that workers open; null: none
};

/// Libraries and processor of a runner. Equal bits are claimed for equal `numerics` (and equal everything else) only.
struct Runtime {
  std::string libtorch;  ///< version; empty: nothing is computed by it
  std::string device;    ///< "cpu: Intel(R) Xeon(R) Processor"
  int threads = 0;       ///< inside one trial
  std::string cores;     ///< cores that the process is tied to: "0,1"; empty: to none
  std::string numerics;  ///< "libtorch 2.11.0, cpu, 1 thread, avx512, arithmetic 1"
  std::string warning;   ///< where it is not what the study asked for; else empty
  bool operator==(const Runtime&) const = default;
};

/// The worker, as the runner sees it. Calls are cheap; a runner calls them from its own thread only.
class Host {
 public:
  virtual ~Host() = default;
  /// Telemetry: one epoch is over. The same report must be in the result.
  virtual void report(const Report& report) = 0;
  /// Telemetry of one optimiser step, where the trial's `log:` asks for it; in no result.
  virtual void step_report(const Report&) {}
  /// Telemetry of an epoch whose ranks trained together; in no result.
  virtual void gang_report(const GangReport&) {}
  /// Progress: called at least once per training step; feeds hang detection.
  virtual void step() = 0;
  /// True once the piece was cancelled or the worker is asked to save and end: checkpoint and return soon.
  virtual bool is_stopping() const = 0;
  /// A line for the attempt's log.
  virtual void log(const std::string& line) = 0;
};

/// Thrown by a runner that was asked to stop and has saved what it had; the worker reports nothing for the piece.
struct Stopped {};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Runs one piece. What goes wrong with the trial itself (NaN, out of memory, a failing program) is in the result;
  /// an exception is an attempt that failed with cause `exception`.
  virtual PieceResult run(const PieceOrder& order, Host& host) = 0;
  virtual Runtime runtime() const { return {}; }
  /// Folders of earlier attempts that programs which wait still use.
  virtual std::set<std::string> folders() { return {}; }
  /// The trial goes on no more: programs of it that wait are to be ended.
  virtual void end_trial(TrialId) {}
};

/// The one symbol of the trainer library, found by name; both sides must agree on kTrainerAbi and the version text.
inline constexpr int kTrainerAbi = 15;
inline constexpr const char* kTrainerSymbol = "dlrun_make_trainer";
inline constexpr const char* kFollowSymbol = "dlrun_follow";
using MakeTrainer = Runner* (*)(int abi, const WorkSetup& setup);
using Follow = int (*)(int abi, std::optional<int> process);

Json to_json(const Runtime& runtime);
Runtime runtime(const Json& json);
Json to_json(const PieceOrder& order);
PieceOrder piece_order(const Json& json);
Json to_json(const WorkSetup& setup);
WorkSetup work_setup(const Json& json);

/// The configuration of one trial: `trial` with every place of `sets` replaced. Places are dotted; list elements with a
/// `name` are found by it ("model.nodes.fc1.out"); a last key that is new in its object is added.
/// @throws Error(usage) where the object or list element it belongs to does not exist.
Json configured(const Json& trial, const Json& sets);

/// Value at a place, as above; null: there is none.
Json setting_at(const Json& trial, const std::string& place);

/// Number of the member's replicate, from 0, that keys its random streams. `config` is the configuration of its trial.
int replicate_of(const Json& config, const Member& member);

}  // namespace dlrun::trial
