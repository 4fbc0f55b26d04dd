// SPDX-License-Identifier: Apache-2.0
// Orders for workers that have room.
#pragma once
#include <cstdint>
#include <set>

#include "driver/blame.hpp"
#include "driver/clock.hpp"
#include "driver/dispatcher.hpp"
#include "driver/orders.hpp"
#include "driver/run_order.hpp"
#include "driver/side_rows.hpp"
#include "driver/stages.hpp"
#include "driver/stragglers.hpp"

namespace dlrun::driver {

/// Turns placements of the dispatcher into orders, and writes down who begins what. Says which work may not leave yet:
/// a retry that waits, a piece that another one is about to leave a stage for, a host that is set aside.
class Placing {
 public:
  /// All of these outlive it.
  struct Parts {
    const spec::StudySpec& spec;
    const study::Study& study;
    const storage::Store& store;
    executor::Executor& executor;
    Dispatcher& dispatcher;
    Blame& blame;
    Stages& stages;
    Stragglers& stragglers;
    RunOrder& run_order;
    SideRows& side_rows;
    const Clock& clock;
  };

  explicit Placing(const Parts& parts) : parts_(parts) {}

  /// The worker does not see the store.
  void set_apart(std::int64_t worker) { apart_.insert(worker); }
  /// Workers that have room get the next pieces. REQUIRES: what waits in the dispatcher is committed.
  void place();
  /// The worker came back with this work, given to it by another driver, and goes on. The order is said again, so that
  /// the executor knows it; the worker ignores it.
  void go_on(const Placement& placement);

 private:
  bool may_leave(std::int64_t worker, const Work& work);
  PlacementRules rules();
  Order order_for(const Placement& placement);
  void note_start(const Placement& placement, const Order& order);

  Parts parts_;
  std::set<std::int64_t> apart_;
};

}  // namespace dlrun::driver
