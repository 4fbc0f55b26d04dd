// SPDX-License-Identifier: Apache-2.0
// The worker's end of the socket, and the thread that serves it while the main thread computes.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"
#include "worker/wire.hpp"
#include "worker/worker.hpp"

namespace dlrun::worker {

/// Why the piece at hand should end.
enum class StopReason { none, abandoned, timeout, shutdown };

/// Threads: everything public is for the main thread, except where noted.
/// Deadlines are looked at every 100 ms by the serving thread.
///
/// A worker that joined over the network outlives its connection: it computes on, reads the endpoint file again,
/// connects again within the driver's grace, and says what it holds and every result that was not acknowledged. A
/// driver that took the dead one's place lets it go on with what is still wanted; what is not it has abandoned, or
/// fences.
class Link {
 public:
  /// Connects, says hello, waits for the welcome (30 s). @throws Error(outside), Error(usage) where refused or where
  /// driver and worker are of different versions.
  explicit Link(const Options& options);
  ~Link();

  const trial::WorkSetup& setup() const { return setup_; }
  /// It does not see the store.
  bool is_apart() const { return !options_.scratch.empty(); }

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
  /// Of artifacts that travel. What is said while the connection is lost, or before the driver at its other end has
  /// said that it wants the piece, gets nowhere.
  void say(const protocol::Message& message);
  /// The next that the driver says of them; waits for it. A Welcome: the connection is another one, and what was not
  /// answered has to be said again, now. nullopt: the piece should end.
  /// @param is_done  the piece, so that only one that nobody wants any more should end
  std::optional<protocol::Message> hear(bool is_done);
  /// Does time count that passes now, where there is a limit? Until then it does from next() on.
  void count_time(bool does_count);

  /// After shutdown: waits until every result is acknowledged or the grace is over.
  void wait_for_acks();
  /// Tells the driver that nothing follows, where it did not ask for the end itself.
  void leave();

  /// Called (on the serving thread) just before the process ends because the driver vanished or time is up.
  static void at_sudden_end(std::function<void()> clean_up_now);

 private:
  using Clock = std::chrono::steady_clock;
  using Attempt = std::pair<trial::PieceKey, int>;

  static Attempt name_of(const trial::PieceOrder& order) { return {order.key, order.attempt}; }
  bool has_joined() const { return !options_.endpoint.empty(); }
  std::unique_ptr<Wire> connect();
  protocol::Welcome greet(Wire& wire);
  protocol::Message receive_one(Wire& wire);
  void serve();
  void serve_once(bool is_readable);
  void take_signal();
  bool has_hung_up();
  void lose_driver();
  void come_back();
  bool try_to_come_back(std::string& fault);
  std::vector<protocol::Held> held();
  void resume_with(const protocol::Welcome& welcome);
  void keep_all();
  void give_up_all();
  void was_asked(const Attempt& attempt);
  void read_messages();
  void take_all();
  void take_order(trial::PieceOrder order);
  void take(protocol::Message message);
  void take_abandon(const Attempt& attempt);
  void look_at_clock();
  void send_telemetry();
  std::string take_curves();
  void write(std::string_view bytes);

  Options options_;
  std::string session_;  ///< of a worker that joined: the same on every connection
  std::string token_;
  int signals_ = -1;
  trial::WorkSetup setup_;
  protocol::Welcome welcome_;  ///< its times; the setup is in setup_
  protocol::Decoder decoder_;
  std::thread server_;
  std::atomic<bool> is_broken_{false};  ///< the connection; nothing is written until there is another
  std::atomic<StopReason> stop_{StopReason::none};
  std::atomic<std::int64_t> steps_{0};
  std::atomic<bool> is_closing_{false};
  Clock::time_point last_heartbeat_;
  Clock::time_point last_heard_;

  std::mutex wire_mutex_;  ///< of wire_, for others than the serving thread; taken after mutex_ where both are needed
  std::shared_ptr<Wire> wire_;
  std::mutex mutex_;  ///< everything below
  std::condition_variable changed_;
  std::deque<trial::PieceOrder> orders_;
  std::set<Attempt> abandoned_;  ///< orders not begun that are to be answered `cancelled`
  std::set<Attempt> unasked_;    ///< held from before this connection, of which its driver has said nothing yet
  std::optional<Attempt> current_;
  std::optional<Clock::time_point> begun_;  ///< when the current piece began; none: its time does not count now
  std::vector<trial::Report> telemetry_;
  std::vector<trial::Report> curves_;              ///< by optimiser step
  std::map<Attempt, std::string> unacknowledged_;  ///< results; their frames where they may have to be said again
  std::deque<protocol::Message> mail_;             ///< of artifacts that travel; as many as were asked for
  std::string prepared_;                           ///< the frame; any driver has to know
  std::optional<Clock::time_point> shutdown_at_;   ///< end of the grace
  std::string leaving_;                            ///< why, where the driver did not ask for it
  bool has_left_ = false;                          ///< and has said so
  bool is_hung_up_ = false;                        ///< the driver has heard it
  bool is_hurried_ = false;                        ///< by a signal that is no notice; one more ends it at once
};

}  // namespace dlrun::worker
