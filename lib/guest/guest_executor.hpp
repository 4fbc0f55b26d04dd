// SPDX-License-Identifier: Apache-2.0
// A plugin that starts workers.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "guest/process.hpp"

namespace dlrun::guest {

/// A worker to be started, as include/dlrun/plugin/executor.hpp has it.
struct WorkerOrder {
  std::string name;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  std::filesystem::path log;
  int cores = 1, gpus = 0;
  std::int64_t memory_mb = 0;
};

enum class WorkerPhase { waiting, running, ended };

struct WorkerState {
  WorkerPhase phase = WorkerPhase::ended;
  std::optional<int> exit_code;
  std::string reason;  ///< valid UTF-8
};

/// Asks the process of a plugin to start, look at and stop workers: one question at a time, and nobody waits for the
/// answer, because a plugin may have to ask other machines. An answer is handed to the question's callback by
/// fetch_answer(). Errors: those of Process; an answer that breaks the contract is Error(outside).
class GuestExecutor {
 public:
  using Started = std::function<void(const std::optional<std::string>& handle)>;
  using Known = std::function<void(const std::vector<WorkerState>& states)>;
  using Stopped = std::function<void()>;

  /// @param options  values of the plugin's keys
  GuestExecutor(const std::string& name, Json options, Limits limits = limits_of_environment());

  /// Each REQUIRES: !is_asked().
  void start(const WorkerOrder& worker, Started callback);
  void state(const std::vector<std::string>& handles, Known callback);
  void stop(const std::string& handle, Stopped callback);

  bool is_asked() const { return read_ != nullptr; }
  /// Waits up to `most` for the answer. False: it has not come.
  bool fetch_answer(std::chrono::milliseconds most);
  /// Waits for the answer, up to the deadline.
  void wait();
  /// Ends the process for an answer that breaks the contract. @throws Error(outside), always
  [[noreturn]] void refuse(const std::string& fault) { process_.refuse(fault); }
  const std::string& name() const { return process_.name(); }

 private:
  std::optional<std::string> handle_from(const Json& answer);
  std::vector<WorkerState> states_from(const Json& answer, std::size_t count);

  Process process_;
  std::function<void(const Json& answer)> read_;  ///< reads the answer that is to come; null: nothing was asked
};

}  // namespace dlrun::guest
