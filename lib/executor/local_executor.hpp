// SPDX-License-Identifier: Apache-2.0
// Workers as processes on this machine.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executor/executor.hpp"
#include "trial/runner.hpp"

namespace dlrun::executor {

struct LocalOptions {
  std::filesystem::path binary;   ///< dlrun-worker
  std::filesystem::path folder;   ///< of the socket, 0700; made where missing (runtime_folder.hpp)
  std::filesystem::path logs;     ///< what workers print goes to <logs>/<number>.log
  trial::WorkSetup setup;         ///< handed to every worker
  double heartbeat = 5;           ///< seconds between heartbeats
  double lost_after = 30;         ///< seconds without one: the worker is lost
  double hang_seconds = 60;       ///< seconds without a training step during a piece: it hangs; 0: not watched
  double kill_grace = 2;          ///< seconds between SIGTERM and SIGKILL
  double overtime = 10;           ///< seconds past setup.time_limit after which the worker itself is ended
  std::vector<std::string> gpus;  ///< workers are given one each (GpuSlots); empty: none is
  double gpu_share = 1;           ///< of a GPU that one worker takes
  bool pin = false;               ///< tie each worker to setup.threads cores of its own
  int wake_fd = -1;               ///< wait() returns when it becomes readable; -1: none
};

/// @throws Error(no_worker) where there is no such program, or it may not be executed.
void require_worker_program(const std::filesystem::path& binary);

/// Three workers in a row that end before they are ready stop the study: Error(no_worker) with what they printed.
class LocalExecutor final : public Executor {
 public:
  /// @throws Error(no_worker) where the binary is missing or no program; Error(usage) where the socket's path is too
  /// long.
  explicit LocalExecutor(const LocalOptions& options);
  ~LocalExecutor() override;  ///< kills and reaps what is left

  /// @throws Error(usage) where they are to be pinned and there are not cores enough.
  void start(int workers) override;
  std::vector<Happening> wait(std::chrono::milliseconds most) override;
  void send(std::int64_t worker, const protocol::Message& message) override;
  void flush() override;
  void answer(std::int64_t client, const Json& reply) override;
  void shut_down(std::chrono::milliseconds grace) override;
  int alive() const override;
  std::string address() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlrun::executor
