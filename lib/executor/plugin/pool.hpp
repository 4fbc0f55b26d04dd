// SPDX-License-Identifier: Apache-2.0
// Workers that a plugin starts: asks it for more or fewer, and watches what became of them. The plugin answers beside
// the loop, because it may have to ask other machines. Private to this room.
#pragma once
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executor/plugin/handles.hpp"
#include "executor/plugin/options.hpp"
#include "executor/pool.hpp"
#include "guest/guest_executor.hpp"

namespace dlrun::executor {

/// Workers of an earlier driver are taken over, by their handles in a file and by the names with which they come back.
/// Starts nothing before the plugin has said what became of them.
class PluginPool final : public Pool {
 public:
  explicit PluginPool(const PluginOptions& options);
  ~PluginPool() override;  ///< stops workers that are left, and waits for that

  void start(int workers) override;
  void keep(PoolView view) override;
  Meeting meet(const protocol::Hello& hello, PoolView view) override;
  void is_ready(const Worker&) override {}
  void has_ended(const Worker& worker, bool is_expected) override;
  void need(int workers) override { need_ = workers; }
  void shut_down(PoolView view) override;
  bool is_busy(PoolView view) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::string handle;  ///< empty: an earlier driver was killed before it could keep it
    guest::WorkerPhase phase = guest::WorkerPhase::waiting;
    std::string end;          ///< how it ended
    bool has_worked = false;  ///< a worker of this name said hello
    bool is_unwanted = false;

    bool is_live() const { return phase != guest::WorkerPhase::ended; }
  };

  void turn(PoolView view);
  bool ask_next();
  void ask_stop();
  void ask_states();
  void ask_start();
  void note_started(const std::string& name, const std::optional<std::string>& handle);
  void note_states(const std::vector<std::string>& names, const std::vector<guest::WorkerState>& states);
  void note_end(const std::string& name, const Job& job);
  void look_at_lost(PoolView view);
  void give_up_waiting();
  void unwant(const std::string& name);
  void stop_all(guest::GuestExecutor& by);
  void keep_handles();
  bool has_handles() const;
  int live_jobs() const;
  int desired_jobs() const;
  std::filesystem::path log_of(const std::string& name) const { return options_.logs / (name + ".log"); }

  PluginOptions options_;
  guest::GuestExecutor guest_;
  HandleFile file_;
  std::map<std::string, Job> jobs_;   ///< by the name of the worker
  std::deque<std::string> unwanted_;  ///< names of those that the plugin is to stop
  std::vector<std::string> said_;     ///< for people
  std::string run_;                   ///< makes the names of this driver's workers its own
  int named_ = 0;                     ///< workers that got a name
  int wanted_ = 0, need_ = 0;
  bool has_begun_ = false;  ///< handles of an earlier driver were read
  bool is_known_ = false;   ///< the states of an earlier driver's workers are
  bool is_shutting_down_ = false;
  Clock::time_point asked_at_ = Clock::now();
  Clock::time_point ask_at_ = Clock::now();
  Clock::time_point start_at_ = Clock::now();
  Clock::time_point give_up_at_ = Clock::time_point::max();
  std::optional<Clock::time_point> surplus_since_;
  int refusals_ = 0;      ///< starts in a row for which there was no place
  int early_deaths_ = 0;  ///< workers in a row that ended before they said hello
};

}  // namespace dlrun::executor
