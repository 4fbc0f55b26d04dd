// SPDX-License-Identifier: Apache-2.0
// One worker as a process: started, signalled, reaped.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "executor/ending.hpp"
#include "executor/memory_group.hpp"
#include "process/child.hpp"

namespace dlrun::executor {

/// Resources that a worker has to itself.
struct Places {
  std::vector<int> cores;  ///< cores that the worker is tied to; empty: none
  std::string gpu;         ///< the only GPU that it sees, by CUDA's name; empty: it sees what this process sees
  std::shared_ptr<const MemoryGroup> memory;  ///< group that the worker joins; nullptr: it stays in the driver's
};

struct ProcessOptions {
  std::filesystem::path binary;
  std::filesystem::path socket;
  std::filesystem::path log;  ///< stdout and stderr are appended here
  std::int64_t worker = 0;
  Places places;
};

/// Process with a session of its own: neither Ctrl-C nor a hang-up of the driver's terminal reaches it, and all its
/// children can be found. The constructor makes this process a subreaper.
class WorkerProcess {
 public:
  /// @throws Error(no_worker) if it cannot be started, Error(outside) if it cannot be watched.
  explicit WorkerProcess(const ProcessOptions& options);
  ~WorkerProcess();  ///< kills, reaps
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return child_.pid(); }
  /// A descriptor that becomes readable when it ends, the caller's to close. @throws Error(outside) if no descriptor is
  /// left
  int watch();
  void signal(int number) const;
  /// Reaps the process if it has ended. True once it has.
  bool has_ended();
  /// How the worker ended. REQUIRES: has_ended(). A fault signal (SIGSEGV …) is the trial's, SIGKILL by the kernel's
  /// OOM killer is `oom`, the exit code for a fault from outside `machine`, everything else `worker_lost`.
  Ending ending() const;
  /// Last lines that the worker printed, within `limit` bytes.
  std::string log_tail(std::size_t limit = 4096) const;

 private:
  std::int64_t oom_kills() const { return group_ ? group_->oom_kills() : dlrun::oom_kills(); }
  std::vector<std::string> arguments(const ProcessOptions& options) const;
  std::vector<std::string> environment() const;
  void end_children() const;
  bool kill_children(std::set<pid_t>& killed) const;
  void end();
  [[noreturn]] void give_up(const std::string& what);

  process::Child child_;
  bool has_ended_ = false;
  std::shared_ptr<const MemoryGroup> group_;
  std::string mark_;               ///< variable in the environment of all that it starts
  std::int64_t kills_before_ = 0;  ///< kills by the OOM killer before the worker started
  std::filesystem::path log_;
  std::int64_t log_start_ = 0;
};

}  // namespace dlrun::executor
