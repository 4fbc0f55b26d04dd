// SPDX-License-Identifier: Apache-2.0
// One worker as the hub sees it, from its start until its end is reported. Where it runs decides how it is ended.
// Private to this room.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/connection.hpp"
#include "executor/ending.hpp"
#include "executor/executor.hpp"
#include "executor/hub_options.hpp"
#include "executor/sentence.hpp"
#include "executor/workload.hpp"

namespace dlrun::executor {

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param options  outlive it
  Worker(const HubOptions& options, std::int64_t number) : options_(options), number_(number) {}
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::int64_t number() const { return number_; }

  /// The connection on which the worker said hello; null: it has none.
  std::shared_ptr<Connection> connection;
  SignsOfLife signs{Clock::now()};
  Workload work{Clock::now()};
  Sentence sentence;
  /// The worker was asked to end because it is not needed, or said that it must.
  bool is_leaving = false;

  // ---- messages ----
  void said_hello(const std::shared_ptr<Connection>& from);
  /// Parts of the welcome that depend on where the worker runs.
  virtual void complete(protocol::Welcome&) const {}
  /// Facts for the driver; the host is the one of the hello.
  virtual WorkerReady introduction() const;
  virtual void beat(std::int64_t steps) { work.beat(steps, Clock::now()); }
  /// May orders be given to the worker now?
  virtual bool takes_orders() const { return connection != nullptr; }
  virtual void note_order(const AttemptKey& attempt) { work.add_attempt(attempt, Clock::now()); }
  /// Remembers a message to the worker, so that it can be repeated.
  virtual void note_sent(const protocol::Message&) {}
  /// Answers to a message about artifacts; nullopt: this worker may not send such messages.
  /// @throws Error(usage) if the worker breaks the rules; Error(outside) for a full disk and the like
  virtual std::optional<std::vector<protocol::Message>> carry(const protocol::Message&) { return std::nullopt; }
  /// Makes a failure of a result that names artifacts which the worker did not hand over.
  virtual void examine(trial::PieceResult&) const {}

  // ---- its end ----
  /// The connection is gone. @param reason  empty, unless the worker broke the protocol
  virtual void lost_connection(const std::string& reason);
  /// The worker said that it ends by itself.
  virtual void left(const std::string& reason) { condemn({trial::Cause::worker_lost, "it left: " + reason}); }
  /// Ends the worker for this reason: asked now, made to after the grace. The first reason counts.
  void condemn(const Ending& reason);
  /// Looks at the clock; condemns a worker that is silent, hangs or takes too long. One without a connection may have
  /// ended its piece in time, so only its silence counts.
  void watch();
  /// The reason for which it was ended, or how it ended by itself. A worker that took too long names the plugin whose
  /// code it was in. REQUIRES: has_ended()
  Ending ending() const;

  /// Machine of the worker; empty: this one.
  virtual const std::string& host() const;
  /// Job that the worker belongs to; empty: none.
  virtual const std::string& job() const;
  virtual std::int64_t pid() const = 0;
  virtual bool has_ended() const = 0;
  /// Has the worker ended, and is everything read that it had sent (or was that waited for long enough)?
  virtual bool is_over() const = 0;
  /// Last lines that the worker printed; empty if they cannot be read here.
  virtual std::string log_tail() const = 0;

 protected:
  const HubOptions& options() const { return options_; }

 private:
  virtual void look() = 0;                    ///< has it ended?
  virtual void ask_to_end() = 0;              ///< the worker may still save its work
  virtual void make_end() = 0;                ///< at once
  virtual Ending natural_ending() const = 0;  ///< REQUIRES: has_ended()
  virtual double silence_limit() const { return options_.lost_after; }

  const HubOptions& options_;
  std::int64_t number_;
};

}  // namespace dlrun::executor
