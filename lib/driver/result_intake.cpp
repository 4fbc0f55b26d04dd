// SPDX-License-Identifier: Apache-2.0
#include "driver/result_intake.hpp"

#include <utility>

namespace dlrun::driver {

void ResultIntake::handle(executor::ResultCame& came) {
  const executor::AttemptKey attempt{came.result.key, came.result.attempt};
  const bool lacks_memory = came.result.cause == trial::Cause::oom;
  const bool had_company = lacks_memory && parts_.dispatcher.had_company(came.worker);
  const Held work = parts_.dispatcher.finished(came.worker, attempt, came.result.seconds);
  if (work) parts_.metering.ended(came.worker, *work, came.result.seconds);
  take_parked(came.worker, attempt, std::exchange(came.result.parked_at, {}));
  if (is_given_up(came.result, work) || is_of_another(came.result, work)) {
    // Sent before the worker can be given the same attempt again.
    parts_.executor.send(came.worker, protocol::Fenced{attempt.piece, attempt.attempt});
    if (work) parts_.dispatcher.put_back(*work);
    return;
  }
  if (work && work->is_repair) return take_repaired(came, *work);
  parts_.adoption.forget(attempt);
  if (work) parts_.mending.examine(came.result, *work);
  if (work) parts_.judging.judge(came.worker, came.result, had_company);
  parts_.stragglers.finish(came.result);
  parts_.run_order.finish(came.result);
  parts_.stages.end(attempt.piece, attempt.attempt, came.result.outcome != trial::Outcome::failed);
  if (work && work->is_test) {
    parts_.incoming.push_back({study::TestMeasured{std::move(came.result)}, came.worker, attempt});
  } else {
    parts_.incoming.push_back({study::PieceEnded{std::move(came.result)}, came.worker, attempt});
  }
}

/// A program that waits for a piece which nobody wants any more is ended.
void ResultIntake::take_parked(std::int64_t worker, const executor::AttemptKey& attempt, const std::string& socket) {
  if (socket.empty()) return;
  const trial::Member& member = attempt.piece.member;
  if (is_current(attempt)) return parts_.dispatcher.programs().keep(worker, member, socket);
  parts_.executor.send(parts_.dispatcher.programs().take_owner(worker, socket), protocol::EndTrial{member.trial});
}

void ResultIntake::take_repaired(executor::ResultCame& came, const Work& work) {
  trial::PieceResult& result = came.result;
  parts_.executor.send(came.worker, protocol::Ack{result.key, result.attempt});
  parts_.judging.judge_repair(came.worker, result);
  if (result.outcome == trial::Outcome::failed) return parts_.mending.failed(result, work);
  parts_.mending.succeeded(result, work, parts_.citing.numerics());
}

/// The worker was told to give up an attempt, by another driver or because another worker has it, that is still
/// wanted: that is no failure of the piece.
bool ResultIntake::is_given_up(const trial::PieceResult& result, const Held& work) const {
  const bool is_cancelled = result.outcome == trial::Outcome::failed && result.cause == trial::Cause::cancelled;
  return is_cancelled && ((work && work->is_beside()) || is_current({result.key, result.attempt}));
}

/// The attempt counts, but this worker was not given it: the result of another worker is awaited.
bool ResultIntake::is_of_another(const trial::PieceResult& result, const Held& work) const {
  return !work && is_current({result.key, result.attempt});
}

void ResultIntake::handle(executor::ReportCame& came) {
  if (!is_current(came.attempt)) return;
  parts_.tally.advance(came.attempt.piece.member, came.report.step);
  parts_.curves.add_report(came.attempt.piece.member, came.report);
  parts_.hint.see(came.attempt.piece.member, came.report);
  parts_.stages.reach(came.attempt.piece, came.attempt.attempt, came.report.step);
  parts_.side_rows.add(std::move(came), parts_.clock.now());
}

void ResultIntake::handle(executor::StepsCame& came) {
  if (is_current(came.attempt)) parts_.side_rows.add(std::move(came), parts_.clock.now());
}

bool ResultIntake::is_current(const executor::AttemptKey& attempt) const {
  return parts_.study.is_current(attempt.piece, attempt.attempt);
}

}  // namespace dlrun::driver
