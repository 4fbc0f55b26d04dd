// SPDX-License-Identifier: Apache-2.0
// Interface of a plugin that starts dlrun's workers somewhere: `executor: {NAME: {key: value}}`, or --executor NAME.
//
// dlrun decides how many workers there should be and gives each one a command. A started worker finds the driver by
// itself: it reads the study's endpoint file, connects over TLS with the study's key and takes one trial after another.
// The store and dlrun's programs must lie under the same paths where it runs; with the key `scratch` only the
// endpoint's file and the key must. So a plugin only starts programs, says whether they still run, and stops them.
//
// A study's section has the plugin's keys and five of dlrun's: jobs, idle, poll, listen and scratch. No result depends
// on an executor, so it may be changed between runs, and a study's hash does not count it.
//
// A handle is a text by which the plugin finds a worker again. dlrun keeps it in the store: after the driver was
// killed, another process of the plugin is asked for workers that this one started. A handle should therefore name the
// worker for good, as a job's number does and a process number alone does not.
//
// The plugin runs in a process of its own, beside dlrun, in one thread. Programs that it starts on this machine must
// outlive it (a session of their own, begun before start() returns) and must not inherit its standard streams.
//
// An exception, a crash, or no answer within the deadline (60 s, or DLRUN_PLUGIN_DEADLINE) stops the run with exit code
// 75 and the plugin's name; the study is whole, and `dlrun resume` continues it. Texts on standard output and error go
// to dlrun's standard error.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dlrun/plugin/options.hpp"

namespace dlrun::plugin {

/// A worker to be started.
struct Worker {
  std::string name;                  ///< letters, digits, '.', '_' and '-'; no two workers of a study have the same
  std::vector<std::string> command;  ///< program, an absolute path, and its arguments: words for exec, not for a shell
  std::vector<std::pair<std::string, std::string>> environment;  ///< to be added to what the machine has
  std::filesystem::path log;   ///< file for its standard output and error, in a folder of the store that is there
  int cores = 1;               ///< cores that the worker uses
  int gpus = 0;                ///< GPUs, from `resources: {gpus: …}`
  std::int64_t memory_mb = 0;  ///< limit of `resources: {memory_mb: …}`; 0: none
};

enum class WorkerPhase { waiting, running, ended };

struct WorkerState {
  WorkerPhase phase = WorkerPhase::ended;
  std::optional<int> exit_code = {};  ///< 128 + n for a signal; nullopt: not known, or still running
  std::string reason = {};  ///< a line for people, in valid UTF-8: why it waits, or how it ended; may be empty
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// Starts a worker, or hands it to a queue; does not wait for it.
  /// @return its handle: not empty, at most 4096 bytes of valid UTF-8, unlike all others; nullopt: there is no place
  /// now, ask later
  virtual std::optional<std::string> start(const Worker& worker) = 0;
  /// States of workers, in the order of their handles. A handle that is not known here has ended. Asked every few
  /// seconds (`poll`).
  virtual std::vector<WorkerState> state(const std::vector<std::string>& handles) = 0;
  /// Ends a worker, or takes it from its queue; need not wait for that. A SIGTERM lets a worker save (10 s). This does
  /// nothing if the worker has ended or the handle is not known.
  virtual void stop(const std::string& handle) = 0;
};

}  // namespace dlrun::plugin

/// Makes `Class`, which has a constructor that takes a `const dlrun::plugin::Options&`, the executor of this plugin.
#define DLRUN_EXECUTOR(Class)                                                                       \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Executor* dlrun_plugin_executor( \
      const dlrun::plugin::Options& options) {                                                      \
    return new Class(options);                                                                      \
  }
