// SPDX-License-Identifier: Apache-2.0
// One run of a study by this process.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/commands.hpp"
#include "driver/effects.hpp"
#include "driver/ending.hpp"
#include "driver/mending.hpp"
#include "driver/metering.hpp"
#include "driver/opening.hpp"
#include "driver/outage.hpp"
#include "driver/placing.hpp"
#include "driver/recorder.hpp"
#include "driver/surroundings.hpp"
#include "driver/time_limits.hpp"

namespace dlrun::driver {

/// Invariants. What a transaction holds was absorbed in the order of its rows. Nothing leaves (orders,
/// acknowledgements, replies) before the rows it rests on are committed with FULL; if that fails, the process ends and
/// nothing has left. A result counts once: what is not the current attempt's is answered `fenced` and not recorded.
class Loop {
 public:
  Loop(const spec::StudySpec& spec, const Options& options, Opened& opened, Surroundings surroundings);

  /// Until the study is finished, stopped or interrupted and every worker has ended.
  Summary run();

 private:
  // loop.cpp: what is done in a round
  void open_run();
  void amend(const Amending& amending);
  study::Output resume_work();
  void round();
  bool is_over() const;
  std::chrono::milliseconds patience() const;
  void watch_outside();
  void meter();
  void give_up_overdue();
  void copy_straggler();
  void stop_for(const std::string& limit);
  void end_outage();
  void drain(Ending::By by, const std::string& why);
  void show(bool is_forced = false);
  void close_run();
  Summary summary() const;

  // intake.cpp: happenings
  void take(const executor::WorkerReady& ready);
  void adopt(std::int64_t worker, const executor::AttemptKey& attempt);
  std::optional<Work> wanted(const executor::AttemptKey& attempt);
  void take(executor::WorkerPrepared& prepared);
  void take(executor::ResultCame& came);
  void take(executor::ReportCame& came);
  void take(executor::StepsCame& came);
  void take(const executor::WorkerLeaves& leaves);
  void take(executor::WorkerEnded& ended);
  void take(const executor::Said& said) { display_.line(said.text); }
  void take(const executor::ControlAsked& asked);
  void take(const executor::StrangerRefused& refused);
  void lose(const Work& work, const executor::WorkerEnded& ended, bool had_company);
  bool is_given_up(const executor::ResultCame& came, const std::optional<Work>& work) const;
  bool is_of_another(const executor::ResultCame& came, const std::optional<Work>& work) const;
  void judge(executor::ResultCame& came, bool had_company);
  void judge_loss(std::int64_t worker, trial::PieceResult& result, bool had_company);
  void take_repaired(executor::ResultCame& came, const Work& work);
  void mend_kept();
  void tell_news();
  void tell_remark(const trial::PieceResult& result);
  Json status() const;

  // transaction.cpp: rows and effects
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
  const Signals& signals_;
  Display& display_;
  const storage::Environment environment_;

  const Commands commands_;
  Dispatcher dispatcher_;
  SideRows side_rows_;
  Mending mending_;
  Adoption adoption_;
  Blame blame_;
  Crowded crowded_;
  Outage outage_;
  Outbox outbox_;
  Tally tally_;
  Citing citing_;
  Stages stages_;
  Stragglers stragglers_;
  Placing placing_;
  Origins origins_;
  const Retrying retrying_;
  Effects effects_;
  Recorder recorder_;
  Metering metering_;
  std::int64_t epochs_before_ = 0;  ///< this run
  // gathered since the last commit
  Inbox incoming_;
  bool has_told_remark_ = false;
  std::size_t warned_ = 0;  ///< of the store's warnings, how many were told

  TimeLimits time_limits_;
  Clock::time_point shown_{};
  std::string told_of_runtime_;  ///< a worker's warning, told once
  Ending ending_;
};

}  // namespace dlrun::driver
