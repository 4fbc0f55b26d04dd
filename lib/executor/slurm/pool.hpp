// SPDX-License-Identifier: Apache-2.0
// Workers that are jobs of a Slurm cluster: submits them, watches the queue, gives back what is not needed. Everything
// it asks Slurm runs beside the loop, for a controller that is away lets its clients wait. Private to this room.
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

class RemoteWorker;

/// Submits nothing before the queue was read once after the last failure, because sbatch may have succeeded although it
/// said that it failed. Jobs of an earlier driver are taken over.
class SlurmPool final : public Pool {
 public:
  explicit SlurmPool(const SlurmOptions& options) : options_(options) {}
  ~SlurmPool() override;  ///< cancels jobs that are left, and waits for that

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
    bool has_worked = false;  ///< a worker of it said hello, to this driver or to an earlier one
    int came = 0;             ///< workers that said hello since the job has its place
    bool is_told = false;     ///< people know that it ended without a worker
  };

  void ask_queue(PoolView view);
  void take_queue(const std::string& text, PoolView view);
  void note_end(const std::string& id, Job& job, PoolView view);
  void forget_lost(PoolView view);
  bool is_left_behind(const RemoteWorker& away, PoolView view) const;
  void note_lost_places(PoolView view);
  void balance(PoolView view);
  void submit(int jobs, PoolView view);
  void note_submitted(int jobs, const Program::Ended& ended, PoolView view);
  void cancel(const std::vector<std::string>& ids, PoolView view);
  void cancel_all() noexcept;
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
  bool has_answered_ = false;  ///< squeue has answered at least once
  bool is_shutting_down_ = false;
  std::shared_ptr<Program> asking_, submitting_, cancelling_;
  Clock::time_point ask_at_ = Clock::now();
  Clock::time_point submit_at_ = Clock::now();
  Clock::time_point give_up_at_ = Clock::time_point::max();
  std::optional<Clock::time_point> surplus_since_;
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Clock::time_point> lost_since_;
  int lost_places_ = 0;         ///< in jobs that go on without some of their workers
  int failed_submissions_ = 0;  ///< in a row
  int failed_questions_ = 0;    ///< in a row
  int early_deaths_ = 0;        ///< jobs in a row that ended without a worker
  std::set<std::string> told_;
};

}  // namespace dlrun::executor
