// SPDX-License-Identifier: Apache-2.0
// Which decided piece goes to which worker, and when. Pure: no process, no socket.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executor/executor.hpp"
#include "study/types.hpp"

namespace dlrun::driver {

/// A piece to be run: of the study, or the test split's measurement, or a recorded one that makes its artifacts again.
struct Work {
  study::StartPiece piece;
  bool is_test = false;
  std::chrono::steady_clock::time_point not_before = {};  ///< of a retry; for may_leave()
  std::string alone_on = {};                              ///< nothing else runs on this host meanwhile
  bool is_repair = false;
  /// The study does not wait for it as for a piece of its own.
  bool is_beside() const { return is_test || is_repair; }
  executor::AttemptKey attempt() const { return {piece.key, piece.attempt}; }
};

/// Work for a worker.
struct Placement {
  std::int64_t worker = -1;
  Work work;
};

/// What speaks against a placement; none: nothing.
struct PlacementRules {
  /// Asked when a worker has room: false, other work or another worker is better.
  std::function<bool(std::int64_t worker, const Work&)> may_run = {};
  /// Asked of each when a worker was found for it: true, it leaves now; false, others go first.
  std::function<bool(std::int64_t worker, const Work&)> may_leave = {};
};

/// Workers take the earliest decided piece. A worker that runs short pieces gets several ahead, so that it need not
/// wait for a group commit: as many as fill kAhead, and never one ahead while another worker is idle. The worker that
/// ran a trial's last piece goes on with it where that costs nobody a wait. A copy goes to a worker without work that
/// computes alike, of another host where there is one. A host that a piece is to have for itself gets no other work
/// from when that waits until it has ended. Whoever knows of reasons against a worker says so in place().
class Dispatcher {
 public:
  static constexpr double kAhead = 0.02;  ///< seconds of work a worker should have before it
  static constexpr int kMaxAhead = 64;    ///< pieces

  void add(Work work) {
    has_lonely_ = has_lonely_ || !work.alone_on.empty();
    ready_.push_back(std::move(work));
  }
  /// It had left, but its worker ended before it began.
  void put_back(Work work) { ready_.push_front(std::move(work)); }
  /// Takes out what waits; nullopt: that does not.
  std::optional<Work> take_waiting(const executor::AttemptKey& attempt);
  /// The worker came with it, and goes on.
  void adopt(const Placement& placement) { give(workers_[placement.worker], placement.work); }
  void worker_ready(std::int64_t worker, const std::string& host = {}) { workers_[worker].host = host; }
  /// What its results are equal within.
  void worker_computes(std::int64_t worker, const std::string& numerics) {
    if (const auto found = workers_.find(worker); found != workers_.end()) found->second.numerics = numerics;
  }
  /// It gets no more work. What it held behind the piece it runs, oldest first.
  std::vector<Work> worker_leaves(std::int64_t worker);
  /// What it held, oldest first.
  std::vector<Work> worker_ended(std::int64_t worker);
  /// Did another worker of its host have work at any time since this one began with the first that it holds?
  bool had_company(std::int64_t worker) const;
  /// A result came; nullopt: the worker was not given that.
  std::optional<Work> finished(std::int64_t worker, const executor::AttemptKey& attempt, double seconds);
  /// The worker that holds it, to be told; nullopt: it had not left, and never will.
  std::optional<std::int64_t> abandon(const executor::AttemptKey& attempt);

  /// What can leave now, in order of decision. The pieces count as given.
  std::vector<Placement> place(const PlacementRules& rules = {});

  /// Nothing waits, and some worker has nothing to do.
  bool has_room() const { return ready_.empty() && busy_workers() < workers_.size(); }
  /// Does a worker hold it, and is there another one for a copy?
  bool may_copy(const executor::AttemptKey& attempt) const;

  /// What each busy worker has before it: the oldest that it was given.
  std::vector<Placement> running() const;

  bool is_idle() const;  ///< nothing waits and nothing runs
  std::size_t waiting() const { return ready_.size(); }
  std::size_t busy_workers() const;
  std::size_t workers() const { return workers_.size(); }

 private:
  struct Queue {
    std::deque<Work> given;
    std::string host, numerics;
    bool is_closed = false;   ///< it is about to end
    std::uint64_t began = 0;  ///< moment in which it began with the first of `given`
    std::uint64_t ended = 0;  ///< moment in which it had no work left
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

  std::deque<Work> ready_;
  Workers workers_;
  std::map<std::string, std::uint64_t> lost_;          ///< hosts, and when a worker with work ended there last
  std::uint64_t moment_ = 0;                           ///< counts what begins and ends
  bool has_lonely_ = false;                            ///< there was work that wants a host for itself
  std::map<trial::Member, std::int64_t> last_worker_;  ///< members that may go on
  double mean_seconds_ = 1;                            ///< of a piece, a moving average; pessimistic at first
};

}  // namespace dlrun::driver
