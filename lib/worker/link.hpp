// SPDX-License-Identifier: Apache-2.0
// The conversation of a worker with its driver, between the thread that computes and the one that serves the socket.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "worker/farewell.hpp"
#include "worker/orders.hpp"
#include "worker/outgoing.hpp"
#include "worker/time_limit.hpp"

namespace dlrun::worker {

/// Orders come in, reports and results go out. Knows no socket: another connection may take the place of one that was
/// lost, and the conversation goes on.
/// Threads: the first half is for the main thread, the second for the serving thread.
class Link {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    bool has_joined = false;  ///< outlives its connection: results are said again, orders may come twice
    bool is_apart = false;    ///< does not see the store: artifacts travel
  };
  /// Puts frames on the connection, and returns when they are on their way. Called by both threads, for telemetry while
  /// this is locked: so it comes before the result.
  using Write = std::function<void(std::string_view)>;

  Link(trial::WorkSetup setup, Options options, Write write);

  // ---- for the main thread

  const trial::WorkSetup& setup() const { return setup_; }
  bool is_apart() const { return options_.is_apart; }
  /// The next order; waits for one. nullopt: the worker was asked to end.
  /// @param ended  called meanwhile for each trial that goes on no more, by this thread
  std::optional<trial::PieceOrder> next(const std::function<void(trial::TrialId)>& ended = {});
  StopReason stop_reason() const { return orders_.stop_reason(); }
  void step() { steps_.fetch_add(1, std::memory_order_relaxed); }
  /// Telemetry of the piece at hand, sent within 100 ms, in groups; reports that are not sent before the result are
  /// not sent.
  void report(const trial::Report& report);
  /// Telemetry of a step, sent likewise, and before the result. If the driver cannot keep up the caller waits.
  void step_report(const trial::Report& report);
  /// Telemetry of ranks, sent at once.
  void gang_report(const trial::GangReport& report);
  void send(trial::Runtime runtime);
  /// On the socket when it returns.
  void send(const trial::PieceResult& result);
  /// A message of artifacts that travel. While the connection is lost, or before the driver at its other end has said
  /// that it wants the piece, it gets nowhere.
  void say(const protocol::Message& message);
  /// The driver's next message of artifacts; waits for it. A Welcome: the connection is another one, and questions that
  /// were not answered have to be asked again, now. nullopt: the piece should end.
  /// @param is_done  the piece, so that only one that nobody wants any more should end
  std::optional<protocol::Message> hear(bool is_done);
  /// Whether the time that passes now counts, if there is a limit. From next() on it does.
  void count_time(bool does_count);
  /// After shutdown: waits until every result is acknowledged or the grace is over.
  void wait_for_acks();
  /// Tells the driver that nothing follows, if it did not ask for the end itself, and waits until it has heard that.
  void leave();

  // ---- for the serving thread

  /// Steps of all pieces.
  std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }
  /// @throws Error(usage): a message that is not for workers
  void receive(std::vector<protocol::Message> messages);
  void send_telemetry();
  /// Stops a piece whose time limit is over.
  void stop_late_piece(Clock::time_point now);
  /// Whether the grace of a worker that was asked to end is over.
  bool is_grace_over(Clock::time_point now);
  /// Tells the driver that nothing follows, if it did not ask for the end itself. @return whether it is told
  bool say_goodbye();
  /// Farewell::ask_by_signal.
  bool ask_by_signal(int number, Clock::time_point now);
  /// The connection has ended. @return whether it ended after the goodbye
  bool note_hung_up();
  /// Attempts for the hello of another connection: those that would go on, then those that can be answered. Results
  /// beyond the limit are said again all the same.
  std::vector<Attempt> held();
  /// Sends unacknowledged results again; gives up the orders that the driver of the new connection does not want.
  void resume_with(const protocol::Welcome& welcome);

 private:
  void receive_one(protocol::Message message);
  void add_order(trial::PieceOrder order);
  void settle(const Attempt& attempt);

  const trial::WorkSetup setup_;
  const Options options_;
  const Write write_;
  std::atomic<std::int64_t> steps_{0};

  std::mutex mutex_;  ///< everything below, but for Orders::stop_reason
  std::condition_variable changed_;
  Orders orders_;
  Outgoing outgoing_;
  Farewell farewell_;
  TimeLimit limit_;
  std::vector<trial::TrialId> ended_;   ///< trials that go on no more
  std::deque<protocol::Message> mail_;  ///< messages of artifacts that travel; as many as were asked for
};

}  // namespace dlrun::worker
