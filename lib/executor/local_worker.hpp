// SPDX-License-Identifier: Apache-2.0
// One worker of this machine, from its start to the moment its end was told: what it was given, when it was last heard
// of, and whether it has to be ended. Private to this room.
#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "executor/connection.hpp"
#include "executor/executor.hpp"
#include "executor/local_executor.hpp"
#include "executor/worker_process.hpp"

namespace dlrun::executor {

class LocalWorker {
 public:
  using Clock = std::chrono::steady_clock;

  LocalWorker(boost::asio::io_context& loop, const LocalOptions& options, const std::filesystem::path& socket,
              std::int64_t number, const Places& places);

  std::int64_t number() const { return number_; }
  std::int64_t pid() const { return process_.pid(); }
  bool is_ready() const { return is_ready_; }

  /// The connection it said hello on.
  std::shared_ptr<Connection> connection;
  void said_hello(const std::shared_ptr<Connection>& from);
  void was_heard() { last_heard_ = Clock::now(); }
  void beat(std::int64_t steps);

  void note_order(const AttemptKey& attempt);
  void finish_order(const AttemptKey& attempt);
  std::vector<AttemptKey> unfinished() const { return {unfinished_.begin(), unfinished_.end()}; }

  /// Ends it for this reason: SIGTERM now, SIGKILL after the grace. The first reason counts.
  void condemn(const Ending& sentence);
  /// It is expected to end by itself until then.
  void must_end_by(Clock::time_point moment);
  /// Looks at clock and process; condemns what is silent, hangs or takes too long.
  void watch();
  /// True once it is reaped and everything it had sent was read (or five seconds have passed).
  bool is_over() const;
  bool has_ended() const { return ended_.has_value(); }
  Ending ending() const { return sentence_.value_or(process_.ending()); }
  std::string log_tail() const { return process_.log_tail(); }

 private:
  void begin_piece() { piece_began_ = last_step_ = Clock::now(); }
  void watch_end();
  void watch_piece();

  const LocalOptions& options_;
  std::int64_t number_;
  WorkerProcess process_;
  boost::asio::posix::stream_descriptor end_watch_;  ///< wakes the loop when the process ends
  bool is_ready_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_heard_ = Clock::now();
  std::deque<AttemptKey> unfinished_;  ///< the first is what it runs
  Clock::time_point piece_began_ = Clock::now();
  Clock::time_point last_step_ = Clock::now();
  std::int64_t steps_ = -1;
  std::optional<Ending> sentence_;
  std::optional<Clock::time_point> kill_at_;
  std::optional<Clock::time_point> ended_;
};

}  // namespace dlrun::executor
