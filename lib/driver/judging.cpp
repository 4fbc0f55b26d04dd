// SPDX-License-Identifier: Apache-2.0
#include "driver/judging.hpp"

#include <fmt/format.h>

#include <utility>

namespace dlrun::driver {

void Judging::judge(std::int64_t worker, trial::PieceResult& result, bool had_company) {
  if (result.outcome == trial::Outcome::failed) {
    if (result.cause == trial::Cause::machine) parts_.outage.explain(result.message);
    return judge_loss(worker, result, had_company);
  }
  parts_.blame.succeeded(worker, result.key);
  parts_.crowded.forget(result.key);
  parts_.outage.succeeded();
  tell_remark(result);
  tell_news();
}

void Judging::judge_loss(std::int64_t worker, trial::PieceResult& result, bool had_company) {
  const bool is_crowded = excuse(worker, result, had_company);
  const std::string text =
      fmt::format("{}, attempt {}: {}", trial::describe(result.key.member), result.attempt, result.message);
  if (is_crowded) parts_.display.line(text + ": it runs again, alone on its host");
  if (result.cause == trial::Cause::machine && parts_.outage.lost(result.key, result.message))
    parts_.display.line(text + ": no fault of the trial, it is tried again");
  result.message += parts_.blame.lost(worker, result.key, result.cause, parts_.clock.now());
  tell_news();
}

/// Changes the cause of a piece that ran out of memory if others may have taken it. @return whether it did
bool Judging::excuse(std::int64_t worker, trial::PieceResult& result, bool had_company) {
  const Shortage shortage{had_company, result.peak_rss, parts_.memory_bytes};
  const bool is_crowded =
      result.cause == trial::Cause::oom && parts_.crowded.excuses(result.key, parts_.blame.host_of(worker), shortage);
  if (!is_crowded) return false;
  result.cause = trial::Cause::crowded;
  result.message += had_company ? "; others ran beside it" : "; it had less than resources.memory_mb";
  return true;
}

void Judging::judge_repair(std::int64_t worker, const trial::PieceResult& result) {
  if (result.outcome != trial::Outcome::failed) return parts_.blame.succeeded(worker, result.key);
  parts_.blame.lost(worker, result.key, result.cause, parts_.clock.now());
  tell_news();
}

/// Later pieces would say the same as the first one that succeeded with a remark.
void Judging::tell_remark(const trial::PieceResult& result) {
  if (result.message.empty() || std::exchange(has_told_remark_, true)) return;
  parts_.display.line("warning: " + trial::describe(result.key.member) + ": " + result.message);
  parts_.side_rows.add(Remark{.trial = result.key.member.trial, .text = result.message});
}

void Judging::tell_news() {
  for (const std::string& text : parts_.blame.take_news()) {
    parts_.display.line(text);
    parts_.side_rows.add(Remark{.text = text});
  }
}

}  // namespace dlrun::driver
