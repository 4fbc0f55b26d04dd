// SPDX-License-Identifier: Apache-2.0
// Interface that carries pieces of work to machines. The driver asks what happened and says what to do; an executor
// decides only how worker processes are kept alive.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/messages.hpp"
#include "trial/trial.hpp"

namespace dlrun::executor {

/// An attempt at a piece, by name.
struct AttemptKey {
  trial::PieceKey piece;
  int attempt = 0;
  auto operator<=>(const AttemptKey&) const = default;
};

/// A worker is there and waits for orders.
struct WorkerReady {
  std::int64_t worker = -1;  ///< number, never used again in this run
  std::int64_t pid = 0;
  std::string host;
  bool has_joined = false;  ///< the worker came by itself: the executor did not start it
  std::string gpu = {};     ///< the GPU of this machine that the worker was given; empty: none
  /// The worker does not see the store: of the files that an order names, only artifacts are there for it.
  bool is_apart = false;
  /// Attempts of another driver, or from before the worker was given up; the piece that it runs comes first. Answer
  /// each with Assign if the worker shall go on with it, else with Abandon.
  std::vector<AttemptKey> holds = {};
};

/// A worker's runner is there, and says what it computes with.
struct WorkerPrepared {
  std::int64_t worker = -1;
  trial::Runtime runtime;
};

struct ResultCame {
  std::int64_t worker = -1;
  trial::PieceResult result;
};

struct ReportCame {
  std::int64_t worker = -1;
  AttemptKey attempt;
  trial::Report report;
};

/// Telemetry by optimiser step, and of ranks by epoch.
struct StepsCame {
  std::int64_t worker = -1;
  AttemptKey attempt;
  std::vector<trial::Report> reports;
  std::vector<trial::GangReport> gangs = {};
};

/// A worker is no more; another one is started in its place unless the executor is shutting down.
struct WorkerEnded {
  std::int64_t worker = -1;
  std::int64_t pid = 0;
  std::string host;          ///< empty: this machine
  bool is_expected = false;  ///< the worker was told to end, or said that it would
  trial::Cause cause = trial::Cause::worker_lost;
  std::string message;                 ///< "killed by signal 9 (Killed)"
  std::string log_tail;                ///< last lines that the worker printed
  std::vector<AttemptKey> unfinished;  ///< orders without a result, oldest first; only the first can have begun
};

/// A worker is about to end in good order: the piece it runs is being saved, pieces that wait behind it have not begun.
struct WorkerLeaves {
  std::int64_t worker = -1;
};

/// Something a person should know.
struct Said {
  std::string text;
};

/// A person's command, to be answered by answer().
struct ControlAsked {
  std::int64_t client = -1;
  Json request;
};

/// Somebody knocked from outside and was sent away; told at once, then at most once a minute.
struct StrangerRefused {
  std::string who;     ///< address of the last stranger
  std::string reason;  ///< why the last stranger was refused
  int count = 1;       ///< strangers since the last report
};

using Happening = std::variant<WorkerReady, WorkerPrepared, ResultCame, ReportCame, StepsCame, WorkerLeaves,
                               WorkerEnded, Said, ControlAsked, StrangerRefused>;

/// Addresses and port at which workers of other machines can join.
struct Reach {
  std::vector<std::string> addresses;
  int port = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Starts `workers` workers and keeps as many alive. @throws Error(usage) if they cannot all be had;
  /// Error(no_worker) as wait().
  virtual void start(int workers) = 0;
  /// Happenings since the last call, in order; waits up to `most` for the first.
  /// @throws Error(no_worker) if workers cannot be started or die again and again before they are ready.
  virtual std::vector<Happening> wait(std::chrono::milliseconds most) = 0;
  /// Time up to which everything that came from workers was returned by wait(). It falls behind the clock while workers
  /// say more than is read: later messages may be on their way.
  virtual std::chrono::steady_clock::time_point read_up_to() const = 0;
  /// Sends to a worker that was ready and has not ended; orders queue there. Messages leave with flush() or the next
  /// wait().
  virtual void send(std::int64_t worker, const protocol::Message& message) = 0;
  virtual void flush() = 0;
  virtual void answer(std::int64_t client, const Json& reply) = 0;

  /// Says how many workers could have work. An executor that can do so has no more workers than these.
  virtual void need(int) {}

  /// Asks every worker to save its piece and to end; no new ones are started. Workers left after `grace` are killed.
  virtual void shut_down(std::chrono::milliseconds grace) = 0;
  /// Workers that have not ended, ready or not; during shutdown also other things that have to be waited for.
  virtual int alive() const = 0;
  /// Socket that control clients connect to.
  virtual std::string address() const = 0;
};

}  // namespace dlrun::executor
