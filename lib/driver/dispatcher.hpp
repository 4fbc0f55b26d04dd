// SPDX-License-Identifier: Apache-2.0
// Distribution of decided pieces: which worker gets which one, and when. Pure: no process, no socket.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/kept_programs.hpp"
#include "executor/executor.hpp"
#include "study/types.hpp"

namespace dlrun::driver {

/// A piece to run: one of the study, the test split's measurement, or a recorded one that makes its artifacts again.
struct Work {
  study::StartPiece piece;
  bool is_test = false;
  std::chrono::steady_clock::time_point not_before = {};  ///< earliest start of a retry, for may_leave()
  std::string alone_on = {};                              ///< host that runs nothing else meanwhile; empty: none
  bool is_repair = false;
  std::string program = {};  ///< socket at which the trial's program waits; empty: none does
  /// True: the study does not wait for this work as for a piece of its own.
  bool is_beside() const { return is_test || is_repair; }
  executor::AttemptKey attempt() const { return {piece.key, piece.attempt}; }
};

/// Work for a worker.
struct Placement {
  std::int64_t worker = -1;
  Work work;
};

/// Objections to placements and to their order; an empty function has none.
struct PlacementRules {
  /// Asked when a worker has room. False: other work or another worker is better.
  std::function<bool(std::int64_t worker, const Work&)> may_run = {};
  /// Asked when a worker was found for some work. True: the work leaves now; false: other work goes first.
  std::function<bool(std::int64_t worker, const Work&)> may_leave = {};
  /// Asked when workers are idle and none gets work ahead: indices of the work that goes before the earliest decided.
  std::function<std::vector<std::size_t>(const std::deque<Work>& waiting, std::size_t idle)> first = {};
};

/// Gives workers the earliest decided pieces, unless the caller of place() puts others first. A worker that runs short
/// pieces gets several ahead, so that it need not wait for a group commit: as many as fill kAhead, but none ahead while
/// another worker is idle. The worker that ran a trial's last piece continues the trial if that makes no piece wait. A
/// copy goes to an idle worker that computes alike, on another host if there is one. If a piece needs a host for
/// itself, that host gets no other work from the moment at which the piece waits until it has ended. Callers of place()
/// may object to a worker.
class Dispatcher {
 public:
  static constexpr double kAhead = 0.02;  ///< seconds of work that a worker should have ahead
  static constexpr int kMaxAhead = 64;    ///< pieces

  void add(Work work) {
    has_lonely_ = has_lonely_ || !work.alone_on.empty();
    ready_.push_back(std::move(work));
  }
  /// Puts work that its worker did not carry out back to the front.
  void put_back(Work work) { ready_.push_front(std::move(work)); }
  /// Takes waiting work out. nullopt: this attempt does not wait.
  std::optional<Work> take_waiting(const executor::AttemptKey& attempt);
  /// Notes work that the worker came with and continues.
  void adopt(const Placement& placement) { give(workers_[placement.worker], placement.work); }
  void worker_ready(std::int64_t worker, const std::string& host = {}) { workers_[worker].host = host; }
  /// Sets the class of numerics of a worker; results are equal within one class.
  void worker_computes(std::int64_t worker, const std::string& numerics) {
    if (const auto found = workers_.find(worker); found != workers_.end()) found->second.numerics = numerics;
  }
  /// Gives the worker no more work. @return work that it held behind the piece it runs, oldest first
  std::vector<Work> worker_leaves(std::int64_t worker);
  /// Programs that wait: only workers of their hosts continue their trials.
  KeptPrograms& programs() { return programs_; }
  /// Removes the worker. @return all work that it held, oldest first
  std::vector<Work> worker_ended(std::int64_t worker);
  /// Has another worker of the same host had work at any time since this worker began the oldest piece that it holds?
  bool had_company(std::int64_t worker) const;
  /// Notes that a result came after this many seconds of work. nullopt: the worker was not given the attempt.
  std::optional<Work> finished(std::int64_t worker, const executor::AttemptKey& attempt, double seconds);
  /// Drops the attempt if it waits. @return the worker that holds it and has to be told; nullopt: no worker does
  std::optional<std::int64_t> abandon(const executor::AttemptKey& attempt);

  /// Pieces that can leave now, in the order of their decisions or as `rules.first` says. The workers count as holding
  /// them.
  std::vector<Placement> place(const PlacementRules& rules = {});

  /// True if no work waits and some worker has nothing to do.
  bool has_room() const { return ready_.empty() && busy_workers() < workers_.size(); }
  /// Does a worker hold the attempt, and is there another one for a copy?
  bool may_copy(const executor::AttemptKey& attempt) const;

  /// The piece that each busy worker runs: the oldest of those that it was given.
  std::vector<Placement> running() const;
  /// The same without copies; valid until the next change.
  std::vector<const Work*> under_way() const;

  bool is_idle() const;  ///< no work waits and no worker is busy
  std::size_t waiting() const { return ready_.size(); }
  std::size_t busy_workers() const;
  std::size_t workers() const { return workers_.size(); }

 private:
  struct Queue {
    std::deque<Work> given;
    std::string host, numerics;
    bool is_closed = false;   ///< the worker is about to end
    std::uint64_t began = 0;  ///< moment at which the worker began the first of `given`
    std::uint64_t ended = 0;  ///< moment at which the worker had no work left
  };
  using Workers = std::map<std::int64_t, Queue>;
  Workers::iterator choose(const Work& work, std::size_t depth, const PlacementRules& rules);
  Workers::const_iterator holder(const executor::AttemptKey& attempt) const;
  Workers::const_iterator elsewhere(const executor::AttemptKey& attempt) const;
  std::size_t depth() const;
  void give(Queue& queue, Work work);
  const Work* lonely_on(const std::string& host) const;
  bool is_free_for(const Queue& queue, const Work& work) const;
  void move_lonely();
  std::optional<std::string> bound_to(const Work& work, const PlacementRules& rules) const;

  std::deque<Work> ready_;
  Workers workers_;
  std::map<std::string, std::uint64_t> lost_;  ///< by host: when a worker with work last ended there
  std::uint64_t moment_ = 0;                   ///< counts beginnings and ends of work
  bool has_lonely_ = false;                    ///< there was work that wants a host for itself
  KeptPrograms programs_;
  std::map<trial::Member, std::int64_t> last_worker_;  ///< members that may go on
  double mean_seconds_ = 1;                            ///< moving average of the time of a piece; pessimistic at first
};

}  // namespace dlrun::driver
