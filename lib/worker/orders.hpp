// SPDX-License-Identifier: Apache-2.0
// The orders of a worker: those that wait, and the one at hand with the reason why it should end.
#pragma once
#include <atomic>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "protocol/messages.hpp"

namespace dlrun::worker {

/// Why the piece at hand should end.
enum class StopReason { none, abandoned, timeout, shutdown };

/// Attempts are named as in messages.
using Attempt = protocol::Held;

/// Threads: stop_reason() is for any; the rest under a lock of its owner's.
class Orders {
 public:
  /// @param may_repeat  after a connection was lost an order may come again; it is then ignored
  explicit Orders(bool may_repeat) : may_repeat_(may_repeat) {}

  bool is_empty() const { return waiting_.empty(); }
  void add(trial::PieceOrder order);
  /// The first one becomes the piece at hand; with the reason `abandoned`, if it was abandoned while it waited.
  /// REQUIRES: not empty.
  trial::PieceOrder begin();
  /// No piece is at hand any more.
  void finish() { current_.reset(); }
  const std::optional<Attempt>& current() const { return current_; }

  StopReason stop_reason() const { return stop_.load(std::memory_order_relaxed); }
  /// The first reason stays, but a shutdown is above all others.
  void stop(StopReason reason);
  /// The driver wants no result of this attempt, whether it is at hand or waits.
  void abandon(const Attempt& attempt);

  /// The orders that would be run, the piece at hand first.
  std::vector<Attempt> held() const;
  /// Another connection replaced the last one: its driver will assign or abandon each order again.
  void keep_all();
  /// Another connection replaced the last one: its driver wants none of the orders.
  void give_up_all();
  /// The driver has assigned or abandoned an order. @return whether it is the piece at hand, and was not settled yet
  bool settle(const Attempt& attempt) { return unsettled_.erase(attempt) > 0 && current_ == attempt; }
  /// Whether the driver has yet to assign or abandon the piece at hand.
  bool is_unsettled() const { return current_ && unsettled_.contains(*current_); }

 private:
  bool may_repeat_;
  std::deque<trial::PieceOrder> waiting_;
  std::set<Attempt> abandoned_;  ///< waiting orders that are to be answered `cancelled`
  std::set<Attempt> unsettled_;  ///< held from before this connection
  std::optional<Attempt> current_;
  std::atomic<StopReason> stop_{StopReason::none};
};

}  // namespace dlrun::worker
