// SPDX-License-Identifier: Apache-2.0
#include "study/attempts.hpp"

#include "study/view.hpp"

namespace dlrun::study {

using trial::TrialState;

namespace {

/// Has no earlier member of the trial failed? Then this one gives the trial its cause, whichever failed first.
bool is_first_to_fail(const Trials& trials, const trial::Member& member) {
  for (int m = 0; m < trials.plan().index_of(member); ++m) {
    if (trials[trials.plan().at(member.trial, m)].has_failed) return false;
  }
  return true;
}

void fail_member(State& s, Piece& piece, const FailedAttempt& failed, Output& out) {
  const trial::Member& member = piece.key.member;
  s.trials[member].has_failed = true;
  piece.value.reset();
  s.clock.end(piece);
  Record& record = s.trials[member.trial];
  const bool is_first = is_first_to_fail(s.trials, member);
  if (is_first) record.cause = failed.cause;
  const bool is_retried = record.state == TrialState::waiting;  // a person asked for it meanwhile
  if (!is_retried) record.state = TrialState::failed;
  if (is_first) report_change(s, member.trial, failed.message, out);
}

}  // namespace

StartPiece start_of(const State& s, const Piece& piece, int attempt, int copy_of) {
  const Steps steps = s.rungs.steps_of(s.trials[piece.key.member.trial], piece.key.piece);
  return {piece.key, attempt, steps.from, steps.to, s.trials[piece.key.member].last, copy_of};
}

void start_newest(State& s, const Piece& piece, int copy_of, Output& out) {
  ++s.trials[piece.key.member.trial].attempts;
  out.effects.emplace_back(start_of(s, piece, piece.newest, copy_of));
}

void fail_attempt(State& s, Piece& piece, const FailedAttempt& failed, Output& out) {
  if (piece.drop(failed.number)) return;
  if (!s.failures.allows_another(piece.key.member, failed.cause)) return fail_member(s, piece, failed, out);
  piece.attempt = ++piece.newest;
  piece.copy = 0;
  start_newest(s, piece, 0, out);
}

void overtake(const Piece& piece, int winner, Output& out) {
  for (const int loser : piece.running()) {
    if (loser == winner) continue;
    const std::string message = "attempt " + std::to_string(winner) + " was home first";
    out.events.emplace_back(AttemptLost{piece.key, loser, trial::Cause::overtaken, message, ""});
    out.effects.emplace_back(AbandonPiece{piece.key, loser});
  }
}

void absorb(State& s, const AttemptLost& event, Output& out) {
  Piece* piece = s.clock.find(event.key, event.attempt);
  if (piece) fail_attempt(s, *piece, {event.attempt, event.cause, event.message}, out);
}

void absorb(State& s, const AttemptCopied& event, Output& out) {
  Piece* piece = s.clock.find(event.key, event.attempt);
  if (!piece || !piece->may_be_copied(event.attempt)) return;
  piece->copy = ++piece->newest;
  start_newest(s, *piece, event.attempt, out);
}

}  // namespace dlrun::study
