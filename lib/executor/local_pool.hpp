// SPDX-License-Identifier: Apache-2.0
// Starts worker processes on this machine, each with cores and a GPU of its own if the study asks for it.
// Private to this room.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include "executor/core_slots.hpp"
#include "executor/gpu_slots.hpp"
#include "executor/local_executor.hpp"
#include "executor/memory_group.hpp"
#include "executor/pool.hpp"
#include "executor/worker_process.hpp"

namespace dlrun::executor {

class LocalPool final : public Pool {
 public:
  explicit LocalPool(const LocalOptions& options) : options_(options) {}

  void start(int workers) override;
  void keep(PoolView view) override;
  /// Takes in a worker of another machine, if the hub listens for those.
  Meeting meet(const protocol::Hello& hello, PoolView view) override;
  void is_ready(const Worker& worker) override;
  void has_ended(const Worker& worker, bool is_expected) override;

 private:
  Places places_for(std::int64_t worker);
  void share_gpus();
  [[noreturn]] void refuse_gpus(int each) const;
  void share_cores();
  void note_early_death(const Worker& worker);

  LocalOptions options_;
  std::optional<CoreSlots> cores_;               ///< set if workers are pinned
  std::optional<GpuSlots> gpus_;                 ///< set if workers are given a GPU each
  std::unique_ptr<MemoryGroups> memory_groups_;  ///< set if workers' memory is limited and the system permits it
  int wanted_ = 0;
  std::set<std::int64_t> mine_;  ///< numbers of the workers it started that have not ended
  int early_deaths_ = 0;
  Worker::Clock::time_point restart_at_ = Worker::Clock::now();
};

}  // namespace dlrun::executor
