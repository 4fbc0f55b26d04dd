// SPDX-License-Identifier: Apache-2.0
// The worker's end of the socket, and the thread that serves it while the main thread computes.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"
#include "worker/worker.hpp"

namespace dlrun::worker {

/// Why the piece at hand should end.
enum class StopReason { none, abandoned, timeout, shutdown };

/// Threads: everything public is for the main thread, except where noted.
/// Deadlines are looked at every 100 ms by the serving thread.
class Link {
 public:
  /// Connects, says hello, waits for the welcome (30 s). @throws Error(outside), Error(usage) where refused.
  explicit Link(const Options& options);
  ~Link();

  const trial::WorkSetup& setup() const { return setup_; }

  /// The next order; waits for one. nullopt: the driver said shutdown.
  std::optional<trial::PieceOrder> next();
  StopReason stop_reason() const { return stop_.load(std::memory_order_relaxed); }
  void step() { steps_.fetch_add(1, std::memory_order_relaxed); }
  /// Telemetry of the piece at hand, sent within 100 ms, in groups; what is not yet sent when the result is, is not
  /// sent.
  void report(const trial::Report& report);
  /// Telemetry of a step, sent likewise, and before the result. Where the driver cannot keep up the caller waits.
  void step_report(const trial::Report& report);
  void send(trial::Runtime runtime);
  /// On the socket when it returns.
  void send(const trial::PieceResult& result);
  /// After shutdown: waits until every result is acknowledged or the grace is over.
  void wait_for_acks();

  /// Called (on the serving thread) just before the process ends because the driver vanished or time is up.
  static void at_sudden_end(std::function<void()> clean_up_now);

 private:
  using Clock = std::chrono::steady_clock;
  using Attempt = std::pair<trial::PieceKey, int>;

  void greet(const Options& options);
  protocol::Message receive_one();
  void serve();
  bool read_messages();
  void take_all();
  void take(protocol::Message message);
  void take_abandon(const Attempt& attempt);
  void look_at_clock();
  void send_telemetry();
  std::string take_curves();
  void write(std::string_view bytes);

  int socket_ = -1;
  int signals_ = -1;
  trial::WorkSetup setup_;
  double heartbeat_ = 5;
  protocol::Decoder decoder_;
  std::thread server_;
  std::atomic<StopReason> stop_{StopReason::none};
  std::atomic<std::int64_t> steps_{0};
  std::atomic<bool> is_closing_{false};
  Clock::time_point last_heartbeat_;

  std::mutex write_mutex_;  ///< whole frames only; taken after mutex_ where both are needed
  std::mutex mutex_;        ///< everything below
  std::condition_variable changed_;
  std::deque<trial::PieceOrder> orders_;
  std::set<Attempt> abandoned_;  ///< orders not begun that are to be answered `cancelled`
  std::optional<Attempt> current_;
  Clock::time_point begun_;  ///< when the current piece began
  std::vector<trial::Report> telemetry_;
  std::vector<trial::Report> curves_;  ///< by optimiser step
  std::set<Attempt> unacknowledged_;
  std::optional<Clock::time_point> shutdown_at_;  ///< end of the grace
};

}  // namespace dlrun::worker
