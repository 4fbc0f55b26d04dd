// SPDX-License-Identifier: Apache-2.0
// One worker as the hub sees it, from its beginning to the moment its end was told: what it was given, when it was last
// heard of, and whether it has to be ended. How it is ended depends on where it runs. Private to this room.
#pragma once
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/connection.hpp"
#include "executor/ending.hpp"
#include "executor/executor.hpp"
#include "executor/hub_options.hpp"

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
  bool is_ready() const { return is_ready_; }

  /// The connection it said hello on.
  std::shared_ptr<Connection> connection;
  void said_hello(const std::shared_ptr<Connection>& from);
  void was_heard() { last_heard_ = Clock::now(); }
  void beat(std::int64_t steps);

  virtual void note_order(const AttemptKey& attempt);
  void finish_order(const AttemptKey& attempt);
  std::vector<AttemptKey> unfinished() const { return {unfinished_.begin(), unfinished_.end()}; }

  /// Answers to a message about an artifact; nullopt: this worker may not send such a message.
  /// @throws Error(usage) if it breaks the rules; Error(outside) for a full disk and the like
  virtual std::optional<std::vector<protocol::Message>> carry(const protocol::Message&) { return std::nullopt; }
  /// Makes a failure of a result that names artifacts which the worker did not hand over.
  virtual void examine(trial::PieceResult&) const {}

  /// Notes a message that leaves for the worker, so that it can be repeated.
  virtual void note_sent(const protocol::Message&) {}
  /// The connection is gone. @param reason  empty, or how the worker broke the protocol
  virtual void lost_connection(const std::string& reason);
  /// The worker said that it ends by itself.
  virtual void left(const std::string& reason) { condemn({trial::Cause::worker_lost, "it left: " + reason}); }
  /// The worker was asked to end because it is not needed, or said that it must.
  bool is_leaving = false;
  /// Time for which the worker has had nothing to do.
  Clock::duration idle() const { return unfinished_.empty() ? Clock::now() - piece_began_ : Clock::duration::zero(); }

  /// Ends the worker for this reason: asks it now, and forces it after the grace. The first reason counts.
  void condemn(const Ending& sentence);
  /// The worker is expected to end by itself until then; afterwards it is forced.
  void must_end_by(Clock::time_point moment);
  /// Looks at the clock; condemns a worker that is silent, hangs or takes too long.
  void watch();
  Ending ending() const { return sentence_ ? *sentence_ : natural_ending(); }

  /// The worker came by itself, and may come back when its connection is lost.
  virtual bool has_joined() const { return false; }
  virtual bool has_left() const { return false; }
  /// The worker does not see the store.
  virtual bool is_apart() const { return false; }
  /// Host of the worker; empty: this machine.
  virtual const std::string& host() const;
  virtual std::int64_t pid() const = 0;
  /// GPU of this machine that was given to the worker; empty: none.
  virtual std::string gpu() const { return {}; }
  virtual bool has_ended() const = 0;
  /// True once it has ended and everything it had sent was read (or that was waited for long enough).
  virtual bool is_over() const = 0;
  /// Last lines that the worker printed; empty if they cannot be read here.
  virtual std::string log_tail() const = 0;

 protected:
  const HubOptions& options() const { return options_; }
  double silent_for() const;  ///< seconds
  bool is_condemned() const { return sentence_.has_value(); }
  /// The time a piece takes counts from now.
  void begin_piece() { piece_began_ = last_step_ = Clock::now(); }

 private:
  virtual void look() = 0;                    ///< finds out whether the worker has ended
  virtual void ask_to_end() = 0;              ///< the worker may still save its piece
  virtual void make_end() = 0;                ///< at once
  virtual Ending natural_ending() const = 0;  ///< REQUIRES: has_ended()
  virtual double silence_limit() const { return options_.lost_after; }
  void watch_piece();

  const HubOptions& options_;
  std::int64_t number_;
  bool is_ready_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_heard_ = Clock::now();
  std::deque<AttemptKey> unfinished_;  ///< the first is the one it runs
  Clock::time_point piece_began_ = Clock::now();
  Clock::time_point last_step_ = Clock::now();
  std::int64_t steps_ = -1;
  std::optional<Ending> sentence_;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace dlrun::executor
