// SPDX-License-Identifier: Apache-2.0
// Process of one worker: started, signalled, reaped.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executor/ending.hpp"
#include "executor/memory_group.hpp"
#include "process/child.hpp"

namespace dlrun::executor {

/// Resources of one worker.
struct Places {
  std::vector<int> cores;  ///< cores that it is tied to; empty: all
  std::string gpu;         ///< the only GPU that it sees, by CUDA's name; empty: all that the driver sees
  std::shared_ptr<const MemoryGroup> memory;  ///< group that it joins; nullptr: the driver's
};

struct ProcessOptions {
  std::filesystem::path binary;
  std::filesystem::path socket;
  std::filesystem::path log;  ///< stdout and stderr are appended here
  std::int64_t worker = 0;
  Places places;
};

/// Runs a worker in a session of its own: neither Ctrl-C nor a hang-up of the terminal reaches it, and all its children
/// can be found. The starting process becomes a subreaper.
class WorkerProcess {
 public:
  /// @throws Error(no_worker) if it cannot be started, Error(outside) if it cannot be watched.
  explicit WorkerProcess(const ProcessOptions& options);
  ~WorkerProcess();  ///< kills, reaps
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return child_.pid(); }
  /// A descriptor that becomes readable when the worker ends; the caller closes it. @throws Error(outside) if none is
  /// left
  int watch();
  void signal(int number) const;
  /// Reaps the worker if it has ended. @return has it ended?
  bool has_ended();
  /// Cause of the end. REQUIRES: it has ended. A fault signal (SIGSEGV …) is the trial's, SIGKILL by the kernel's OOM
  /// killer is `oom`, the exit code for a fault from outside `machine`, everything else `worker_lost`.
  Ending ending() const;
  /// Last lines that it printed, within `limit` bytes.
  std::string log_tail(std::size_t limit = 4096) const;

 private:
  std::int64_t oom_kills() const { return group_ ? group_->oom_kills() : dlrun::oom_kills(); }
  std::vector<std::string> arguments(const ProcessOptions& options) const;
  std::vector<std::string> environment() const;
  void end_children() const;
  bool kill_children() const;
  void end();
  [[noreturn]] void give_up(const std::string& what);

  process::Child child_;
  bool has_ended_ = false;
  std::shared_ptr<const MemoryGroup> group_;
  std::string mark_;               ///< variable in the environment of all its children
  std::int64_t kills_before_ = 0;  ///< kills of the OOM killer before its start
  std::filesystem::path log_;
  std::int64_t log_start_ = 0;
};

}  // namespace dlrun::executor
