// SPDX-License-Identifier: Apache-2.0
// Causes of results and losses: the trial, its machine, or other work beside it.
#pragma once
#include "driver/blame.hpp"
#include "driver/clock.hpp"
#include "driver/crowded.hpp"
#include "driver/driver.hpp"
#include "driver/outage.hpp"
#include "driver/side_rows.hpp"

namespace dlrun::driver {

/// Judges each result before it becomes an event, and says what people should know of it.
class Judging {
 public:
  /// All of these outlive it.
  struct Parts {
    Blame& blame;
    Crowded& crowded;
    Outage& outage;
    SideRows& side_rows;
    Display& display;
    const Clock& clock;
    std::int64_t memory_bytes = 0;  ///< bytes that a trial may take (resources.memory_mb); 0: no limit
  };

  explicit Judging(const Parts& parts) : parts_(parts) {}

  /// A worker's result. If it failed, its cause and its message may change.
  /// @param had_company  other work ran on its host meanwhile
  void judge(std::int64_t worker, trial::PieceResult& result, bool had_company);
  /// An attempt that failed or whose worker ended; likewise.
  void judge_loss(std::int64_t worker, trial::PieceResult& result, bool had_company);
  /// A piece that was run again for its artifacts.
  void judge_repair(std::int64_t worker, const trial::PieceResult& result);
  /// Hosts that were quarantined or released since the last call, also as notes of the study.
  void tell_news();

 private:
  bool excuse(std::int64_t worker, trial::PieceResult& result, bool had_company);
  void tell_remark(const trial::PieceResult& result);

  Parts parts_;
  bool has_told_remark_ = false;
};

}  // namespace dlrun::driver
