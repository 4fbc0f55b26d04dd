// SPDX-License-Identifier: Apache-2.0
// One run of a study by this process.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/opening.hpp"
#include "driver/recorder.hpp"
#include "driver/request_intake.hpp"
#include "driver/result_intake.hpp"
#include "driver/standing.hpp"
#include "driver/surroundings.hpp"
#include "driver/worker_intake.hpp"

namespace dlrun::driver {

/// Invariants. What a transaction holds was absorbed in the order of its rows. Nothing leaves (orders,
/// acknowledgements, replies) before the rows it rests on are committed with FULL; if that fails, the process ends and
/// nothing has left. A result counts once: what is not the current attempt's is answered `fenced` and not recorded.
class Loop {
 public:
  Loop(const spec::StudySpec& spec, const Options& options, Opened& opened, Surroundings surroundings);

  /// Runs until the study is finished, stopped or interrupted and every worker has ended.
  Summary run();

 private:
  // loop.cpp: one round after the other
  void open_run();
  void amend(const Amending& amending);
  study::Output resume_work();
  void mend_kept();
  void round();
  void handle(executor::Happening& happening);
  bool is_over() const;
  std::chrono::milliseconds patience() const;
  void meter();
  void give_up_overdue();
  void copy_straggler();
  void show(bool is_forced = false);
  void tell_changed_program();
  void close_run();

  // transaction.cpp: the commit of a round, and what may leave after it
  void commit_round();
  void commit_telemetry();
  void tell_warnings();
  void write_side_rows();
  void release();
  void dispatch();

  const spec::StudySpec& spec_;
  const Options& options_;
  storage::Store& store_;
  study::Study& study_;
  const Opened& opened_;
  const Clock& clock_;
  executor::Executor& executor_;
  Display& display_;
  const storage::Environment environment_;

  Dispatcher dispatcher_;
  SideRows side_rows_;
  Mending mending_;
  Adoption adoption_;
  Blame blame_;
  Crowded crowded_;
  Outage outage_;
  Ending ending_;
  Outbox outbox_;
  Tally tally_;
  Curves curves_;
  ObjectiveHint hint_;
  Citing citing_;
  Stages stages_;
  Stragglers stragglers_;
  RunOrder run_order_;
  Placing placing_;
  Origins origins_;
  const Retrying retrying_;
  Effects effects_;
  Recorder recorder_;
  Metering metering_;
  Inbox incoming_;  ///< since the last commit
  Judging judging_;
  ResultIntake result_intake_;
  WorkerIntake worker_intake_;
  TimeLimits time_limits_;
  Draining draining_;
  Standing standing_;
  const Commands commands_;
  RequestIntake request_intake_;
  std::int64_t epochs_before_ = 0;  ///< epochs done before this run began
  std::size_t warned_ = 0;          ///< warnings of the store that were told so far
  Clock::time_point shown_{};
};

}  // namespace dlrun::driver
