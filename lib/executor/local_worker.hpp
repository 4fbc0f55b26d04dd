// SPDX-License-Identifier: Apache-2.0
// Worker that is a process of this machine, started by the pool. Private to this room.
#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "executor/local_executor.hpp"
#include "executor/worker.hpp"
#include "executor/worker_process.hpp"

namespace dlrun::executor {

class LocalWorker final : public Worker {
 public:
  /// @throws Error(no_worker) if it cannot be started.
  LocalWorker(boost::asio::io_context& loop, const LocalOptions& options, const std::filesystem::path& socket,
              std::int64_t number, const Places& places);

  std::int64_t pid() const override { return process_.pid(); }
  WorkerReady introduction() const override;
  bool has_ended() const override { return ended_.has_value(); }
  bool is_over() const override;
  std::string log_tail() const override { return process_.log_tail(); }

 private:
  void look() override;
  void ask_to_end() override;
  void make_end() override;
  Ending natural_ending() const override { return process_.ending(); }
  void watch_end();

  std::string gpu_;
  WorkerProcess process_;
  boost::asio::posix::stream_descriptor end_watch_;  ///< wakes the loop when the process ends
  std::optional<Clock::time_point> ended_;
  std::shared_ptr<void> life_ = std::make_shared<char>();  ///< late handlers ask by it whether the worker exists
};

}  // namespace dlrun::executor
