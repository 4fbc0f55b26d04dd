// SPDX-License-Identifier: Apache-2.0
// Answers, orders and replies that may leave a driver once the rows that they rest on are committed, and never before.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "driver/dispatcher.hpp"
#include "executor/executor.hpp"

namespace dlrun::driver {

/// Collects while a transaction is written; empties in release().
class Outbox {
 public:
  /// Callers for everything that does not go to the executor.
  struct Receivers {
    /// The worker that holds the attempt, which is no longer wanted; nullopt: none does.
    std::function<std::optional<std::int64_t>(const executor::AttemptKey&)> abandon;
    std::function<void(Work)> start;
    std::function<void(trial::TrialId)> remove_partials;
    /// Workers on which programs of the trial wait; they are told.
    std::function<std::vector<std::int64_t>(trial::TrialId)> end_programs;
  };

  /// The worker's result was taken in. @param is_stale  it does not count
  void acknowledge(std::int64_t worker, const executor::AttemptKey& attempt, bool is_stale) {
    answers_.push_back({worker, attempt, is_stale});
  }
  void start(Work work) { started_.push_back(std::move(work)); }
  /// Withdraws an attempt, also one that was to be started.
  void abandon(const executor::AttemptKey& attempt);
  void reply(std::int64_t client, Json json) { replies_.push_back({client, std::move(json)}); }
  /// The trial never goes on, so nobody resumes what it saved.
  void remove_partials(trial::TrialId trial) { decided_.push_back(trial); }
  /// The trial is over, so nothing of it that waits goes on.
  void end_programs(trial::TrialId trial) { ended_.push_back(trial); }

  /// REQUIRES: all rows are committed.
  void release(executor::Executor& executor, const Receivers& receivers);

 private:
  struct Answer {
    std::int64_t worker;
    executor::AttemptKey attempt;
    bool is_stale;
  };
  struct Reply {
    std::int64_t client;
    Json json;
  };

  std::vector<Answer> answers_;
  std::vector<Work> started_;
  std::vector<executor::AttemptKey> abandoned_;
  std::vector<Reply> replies_;
  std::vector<trial::TrialId> decided_;
  std::vector<trial::TrialId> ended_;
};

}  // namespace dlrun::driver
