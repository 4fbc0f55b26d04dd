// SPDX-License-Identifier: Apache-2.0
// Workers that arrive, leave and end.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "driver/adoption.hpp"
#include "driver/citing.hpp"
#include "driver/ending.hpp"
#include "driver/judging.hpp"
#include "driver/mending.hpp"
#include "driver/metering.hpp"
#include "driver/placing.hpp"
#include "driver/retrying.hpp"

namespace dlrun::driver {

/// Introduces workers to the parts that deal with them. If a worker ends, the piece that it ran is lost, and pieces
/// that waited behind it go to other workers.
class WorkerIntake {
 public:
  /// All of these outlive it.
  struct Parts {
    const study::Study& study;
    const storage::Store& store;
    executor::Executor& executor;
    Dispatcher& dispatcher;
    Placing& placing;
    Mending& mending;
    Judging& judging;
    Blame& blame;
    Metering& metering;
    Adoption& adoption;
    Citing& citing;
    const Retrying& retrying;
    Stragglers& stragglers;
    Stages& stages;
    SideRows& side_rows;
    Display& display;
    const Ending& ending;
    Inbox& incoming;
    bool only_joined = false;  ///< as in Options
  };

  explicit WorkerIntake(const Parts& parts) : parts_(parts) {}

  void handle(const executor::WorkerReady& ready);
  void handle(executor::WorkerPrepared& prepared);
  void handle(const executor::WorkerLeaves& leaves);
  void handle(const executor::WorkerEnded& ended);

 private:
  void let_fail();
  void adopt(std::int64_t worker, const executor::AttemptKey& attempt);
  std::optional<Work> claim(const executor::AttemptKey& attempt);
  void clear(const executor::WorkerEnded& ended, const std::vector<Work>& held);
  void tell_end(const executor::WorkerEnded& ended, bool had_work);
  void put_back_waiting(const std::vector<Work>& held);
  void lose(const Work& work, const executor::WorkerEnded& ended, bool had_company);

  Parts parts_;
  std::string told_of_runtime_;  ///< the last warning of a worker, which is told once
};

}  // namespace dlrun::driver
