// SPDX-License-Identifier: Apache-2.0
// Pool of workers that are jobs of a Slurm cluster: submits jobs, watches the queue, gives unneeded places back.
// Commands of Slurm run beside the loop, because they wait while the controller is away. Private to this room.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "executor/pool.hpp"
#include "executor/program.hpp"
#include "executor/slurm/options.hpp"
#include "executor/slurm/queue.hpp"

namespace dlrun::executor {

/// Reads the queue before it submits, again after each failure: sbatch may have succeeded although it reported a
/// failure, and jobs of an earlier driver are taken over.
class SlurmPool final : public Pool {
 public:
  explicit SlurmPool(const SlurmOptions& options) : options_(options) {}
  ~SlurmPool() override;  ///< cancels remaining jobs, and waits for that

  void start(int workers) override;
  void keep(PoolView view) override;
  Meeting meet(const protocol::Hello& hello, PoolView view) override;
  void is_ready(const Worker&) override {}
  void has_ended(const Worker&, bool) override;
  void need(int workers) override { need_ = workers; }
  void shut_down(PoolView view) override;
  bool is_busy(PoolView view) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    JobPhase phase = JobPhase::waiting;
    std::string state, reason;
    bool has_worked = false;  ///< has one of its workers said hello?
    bool is_told = false;     ///< was its end without a worker reported?
  };

  void ask_queue(PoolView view);
  void take_queue(const std::string& text, PoolView view);
  void note_end(const std::string& id, Job& job, PoolView view);
  void forget_lost(PoolView view);
  void balance(PoolView view);
  void submit(int jobs, PoolView view);
  void note_submitted(int jobs, const Program::Ended& ended, PoolView view);
  void cancel(const std::vector<std::string>& ids, PoolView view);
  void retire_idle(PoolView view);
  void tell_waiting(PoolView view);
  void say(PoolView view, const std::string& text);
  int jobs_for(int workers) const;
  int live_jobs() const;
  std::string log_of(const std::string& id) const;

  SlurmOptions options_;
  std::filesystem::path script_;
  std::map<std::string, Job> jobs_;
  int wanted_ = 0;
  int need_ = 0;
  bool is_known_ = false;      ///< the queue was read since the last submission that may have failed
  bool has_answered_ = false;  ///< has squeue answered at least once?
  bool is_shutting_down_ = false;
  std::shared_ptr<Program> asking_, submitting_, cancelling_;
  Clock::time_point ask_at_ = Clock::now();
  Clock::time_point submit_at_ = Clock::now();
  Clock::time_point give_up_at_ = Clock::time_point::max();
  std::optional<Clock::time_point> surplus_since_;
  std::optional<Clock::time_point> waiting_since_;
  int failed_submissions_ = 0;  ///< in a row
  int failed_questions_ = 0;    ///< in a row
  int early_deaths_ = 0;        ///< jobs in a row that ended without a worker
  std::set<std::string> told_;
};

}  // namespace dlrun::executor
