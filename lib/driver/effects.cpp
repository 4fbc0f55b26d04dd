// SPDX-License-Identifier: Apache-2.0
#include "driver/effects.hpp"

#include <fmt/format.h>

#include "driver/orders.hpp"
#include "trial/kinds.hpp"

namespace dlrun::driver {

void Effects::carry_out(const std::vector<study::Effect>& effects, Clock::duration wait) {
  const auto one = [&](const auto& effect) {
    if constexpr (requires { carry_out(effect, wait); }) {
      carry_out(effect, wait);
    } else {
      carry_out(effect);
    }
  };
  for (const study::Effect& effect : effects) std::visit(one, effect);
}

void Effects::carry_out(const study::StartPiece& start, Clock::duration wait) {
  if (!parts_.citing.keeps(start)) parts_.outbox.start(parts_.retrying.as_known({start}, wait));
}

void Effects::carry_out(const study::MeasureTest& measure, Clock::duration wait) {
  parts_.outbox.start(parts_.retrying.as_known(test_work(measure, ++test_attempts_), wait));
}

void Effects::carry_out(const study::AbandonPiece& abandoned) {
  const executor::AttemptKey attempt{abandoned.key, abandoned.attempt};
  parts_.stages.end(attempt.piece, attempt.attempt, false);
  parts_.adoption.forget(attempt);
  parts_.citing.forget(attempt);
  parts_.outbox.abandon(attempt);
  parts_.store.attempts().abandon(attempt.piece, attempt.attempt);
}

void Effects::carry_out(const study::TrialChanged& change) {
  parts_.store.change(change);
  parts_.tally.change(change.trial, change.state);
  if (parts_.study.members().count() == 1) parts_.tally.advance({change.trial}, change.steps);
  // A failed trial may be retried (`dlrun retry`) and then resumes from what it saved.
  const bool never_goes_on = trial::is_final(change.state) && change.state != trial::TrialState::failed;
  if (never_goes_on && parts_.spec.kind == "train") parts_.outbox.remove_partials(change.trial);
  if (trial::is_final(change.state) && trial::runs_program(parts_.spec.kind)) parts_.outbox.end_programs(change.trial);
  if (trial::is_final(change.state)) parts_.curves.forget(change.trial);
  if (trial::is_final(change.state)) parts_.stages.pass(change.trial, parts_.study.members());
  if (change.state == trial::TrialState::failed)
    parts_.display.line(fmt::format("trial {} failed: {}", change.trial.value, change.message));
}

void Effects::carry_out(const study::MemberMeasured& measured) {
  parts_.store.change(measured);
  parts_.tally.advance(measured.member, measured.steps);
}

void Effects::carry_out(const study::Diverged& diverged) {
  const std::string text =
      fmt::format("{}, attempt {} measured something else than the attempt that was recorded first, which counts",
                  trial::describe(diverged.key.member), diverged.attempt);
  parts_.store.note(diverged.key.member.trial, text);
  parts_.display.line("warning: " + text);
}

/// Notes the end in the transaction of the row that ends the study: a crash in between would leave a finished study
/// that does not say so.
void Effects::carry_out(const study::Finished& finished) { parts_.store.study_state("finished", finished.reason); }

}  // namespace dlrun::driver
