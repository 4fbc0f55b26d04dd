// SPDX-License-Identifier: Apache-2.0
// Results, reports and curves of workers on their way into the log.
#pragma once
#include <optional>

#include "driver/adoption.hpp"
#include "driver/citing.hpp"
#include "driver/curves.hpp"
#include "driver/judging.hpp"
#include "driver/mending.hpp"
#include "driver/metering.hpp"
#include "driver/objective_hint.hpp"
#include "driver/run_order.hpp"
#include "driver/stages.hpp"
#include "driver/stragglers.hpp"
#include "driver/tally.hpp"

namespace dlrun::driver {

/// Turns each result into an event of the next transaction. Results that cannot count are fenced at once.
class ResultIntake {
 public:
  /// All of these outlive it.
  struct Parts {
    const study::Study& study;
    executor::Executor& executor;
    Dispatcher& dispatcher;
    Metering& metering;
    Mending& mending;
    Judging& judging;
    Adoption& adoption;
    const Citing& citing;
    Stragglers& stragglers;
    RunOrder& run_order;
    Stages& stages;
    Tally& tally;
    Curves& curves;
    ObjectiveHint& hint;
    SideRows& side_rows;
    const Clock& clock;
    Inbox& incoming;
  };

  explicit ResultIntake(const Parts& parts) : parts_(parts) {}

  void handle(executor::ResultCame& came);
  void handle(executor::ReportCame& came);
  void handle(executor::StepsCame& came);

 private:
  using Held = std::optional<Work>;  ///< work that the worker was given; nullopt: none
  bool is_given_up(const trial::PieceResult& result, const Held& work) const;
  bool is_of_another(const trial::PieceResult& result, const Held& work) const;
  void take_parked(std::int64_t worker, const executor::AttemptKey& attempt, const std::string& socket);
  void take_repaired(executor::ResultCame& came, const Work& work);
  bool is_current(const executor::AttemptKey& attempt) const;

  Parts parts_;
};

}  // namespace dlrun::driver
