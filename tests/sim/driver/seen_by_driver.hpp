// SPDX-License-Identifier: Apache-2.0
// Clock and executor of one simulated driver.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "driver/clock.hpp"
#include "executor/executor.hpp"
#include "fate.hpp"
#include "machines.hpp"
#include "timeline.hpp"

namespace dlrun::driver_sim {

/// Called with a line for each message and each word to a person; empty: nobody listens.
extern std::function<void(const std::string&)> trace;

/// Virtual time; each look at it counts as a call of the driver.
class SimClock final : public driver::Clock {
 public:
  SimClock(const Timeline& timeline, Fate& fate) : timeline_(timeline), fate_(fate) {}
  time_point now() const override;

 private:
  const Timeline& timeline_;
  Fate& fate_;
};

/// Workers as an executor shows them. Every call may be the driver's last.
class SimExecutor final : public executor::Executor {
 public:
  SimExecutor(Machines& machines, Timeline& timeline, Fate& fate)
      : machines_(machines), timeline_(timeline), fate_(fate) {}

  void start(int workers) override { machines_.begin(workers); }
  /// @throws std::runtime_error  after an hour of waiting
  std::vector<executor::Happening> wait(std::chrono::milliseconds most) override;
  Time read_up_to() const override { return timeline_.now(); }
  void send(std::int64_t worker, const protocol::Message& message) override;
  void flush() override { fate_.pass(); }
  void answer(std::int64_t client, const Json& reply) override;
  void need(int workers) override;
  void shut_down(std::chrono::milliseconds grace) override;
  int alive() const override { return machines_.alive(); }
  std::string address() const override { return "simulated"; }

 private:
  Machines& machines_;
  Timeline& timeline_;
  Fate& fate_;
  int waits_ = 0, needed_ = -1;
};

}  // namespace dlrun::driver_sim
