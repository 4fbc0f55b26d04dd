// SPDX-License-Identifier: Apache-2.0
// Interface of executors, which carry pieces of work to machines. The driver asks what happened and says what to do; an
// executor decides only how workers are kept alive.
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
  bool has_joined = false;  ///< by itself: the executor did not start it
  std::string gpu = {};     ///< GPU of our machine that it was given; empty: none
  bool is_apart = false;    ///< the store is invisible to it: of the files in an order it gets artifacts only
  std::vector<AttemptKey> holds = {};  ///< attempts that it brought, of another driver or from before it was given
                                       ///< up, the running one first: answer each by Assign, to continue, or Abandon
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

/// Telemetry by optimiser step.
struct StepsCame {
  std::int64_t worker = -1;
  AttemptKey attempt;
  std::vector<trial::Report> reports;
};

/// A worker has ended; another one is started in its place unless the executor is shutting down.
struct WorkerEnded {
  std::int64_t worker = -1;
  std::int64_t pid = 0;
  std::string host;          ///< empty: this one
  bool is_expected = false;  ///< the worker was told to end, or said that it would
  trial::Cause cause = trial::Cause::worker_lost;
  std::string message;                 ///< "killed by signal 9 (Killed)"
  std::string log_tail;                ///< last lines that it printed
  std::vector<AttemptKey> unfinished;  ///< orders without a result, oldest first; only the first can have begun
};

/// A worker is about to end in good order: it saves the piece that it runs, and its other orders have not begun.
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

/// Strangers from outside were refused; reported at once, then at most once a minute.
struct StrangerRefused {
  std::string who;     ///< address of the last stranger
  std::string reason;  ///< reason for the last refusal
  int count = 1;       ///< refusals since the last report
};

using Happening = std::variant<WorkerReady, WorkerPrepared, ResultCame, ReportCame, StepsCame, WorkerLeaves,
                               WorkerEnded, Said, ControlAsked, StrangerRefused>;

/// Address to which workers of other machines connect.
struct Reach {
  std::vector<std::string> addresses;
  int port = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Starts `workers` workers and keeps as many alive.
  virtual void start(int workers) = 0;
  /// All happenings since the last call, in order; waits up to `most` for the first.
  /// @throws Error(no_worker) if workers cannot be started or die again and again before they are ready.
  virtual std::vector<Happening> wait(std::chrono::milliseconds most) = 0;
  /// Time up to which messages of workers were reported by wait(). It falls behind the clock while workers send more
  /// than is read: later messages may be on their way.
  virtual std::chrono::steady_clock::time_point read_up_to() const = 0;
  /// Sends a message to a ready worker, with flush() or the next wait(); orders queue there.
  virtual void send(std::int64_t worker, const protocol::Message& message) = 0;
  virtual void flush() = 0;
  virtual void answer(std::int64_t client, const Json& reply) = 0;

  /// Number of workers that could have work now; executors that can keep no more than these.
  virtual void need(int) {}

  /// Asks every worker to save its work and to end; no new ones are started. After `grace` the others are killed.
  virtual void shut_down(std::chrono::milliseconds grace) = 0;
  /// Workers that have not ended, ready or not; during shut-down plus 1 if there is more to wait for.
  virtual int alive() const = 0;
  /// Address to which control clients connect.
  virtual std::string address() const = 0;
};

}  // namespace dlrun::executor
