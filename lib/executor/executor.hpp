// SPDX-License-Identifier: Apache-2.0
// What carries pieces of work to machines. The driver asks what happened and says what to do; nothing is decided here
// but how worker processes are kept alive.
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
  std::string gpu = {};     ///< of our machine, the one it was given; empty: none
  bool is_apart = false;    ///< it does not see the store: no file that an order names, but artifacts, is there for it
  std::vector<AttemptKey> holds = {};  ///< of another driver, or from before it was given up: each is to be answered by
                                       ///< Assign, where it shall go on, or Abandon. What it runs comes first
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

/// A worker is no more; another one is started in its place unless the executor is shutting down.
struct WorkerEnded {
  std::int64_t worker = -1;
  std::int64_t pid = 0;
  std::string host;          ///< empty: this one
  bool is_expected = false;  ///< it was told to end, or said that it would
  trial::Cause cause = trial::Cause::worker_lost;
  std::string message;                 ///< "killed by signal 9 (Killed)"
  std::string log_tail;                ///< its last lines
  std::vector<AttemptKey> unfinished;  ///< orders without a result, oldest first; only the first can have begun
};

/// It is about to end, in good order: the piece it runs is being saved, what waits behind that has not begun.
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
  std::string who;     ///< its address
  std::string reason;  ///< of the last one
  int count = 1;       ///< since it was told last
};

using Happening = std::variant<WorkerReady, WorkerPrepared, ResultCame, ReportCame, StepsCame, WorkerLeaves,
                               WorkerEnded, Said, ControlAsked, StrangerRefused>;

/// Where workers of other machines can come.
struct Reach {
  std::vector<std::string> addresses;
  int port = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Starts `workers` workers and keeps as many alive.
  virtual void start(int workers) = 0;
  /// What has happened since the last call, in order; waits up to `most` for the first.
  /// @throws Error(no_worker) where workers cannot be started or die again and again before they are ready.
  virtual std::vector<Happening> wait(std::chrono::milliseconds most) = 0;
  /// All that had come from workers by then was told by wait(). Falls behind the clock while they say more than is
  /// read: what is not here since then may be on its way.
  virtual std::chrono::steady_clock::time_point read_up_to() const = 0;
  /// To a worker that was ready and has not ended; orders queue there. Leaves with flush() or the next wait().
  virtual void send(std::int64_t worker, const protocol::Message& message) = 0;
  virtual void flush() = 0;
  virtual void answer(std::int64_t client, const Json& reply) = 0;

  /// As many workers as there are could have work: an executor that can has no more than these.
  virtual void need(int) {}

  /// Asks every worker to save what it does and to end; no new ones are started. What is left after `grace` is killed.
  virtual void shut_down(std::chrono::milliseconds grace) = 0;
  /// Workers that have not ended, ready or not; while it shuts down also what else has to be waited for.
  virtual int alive() const = 0;
  /// Where control clients connect.
  virtual std::string address() const = 0;
};

}  // namespace dlrun::executor
