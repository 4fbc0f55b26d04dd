// SPDX-License-Identifier: Apache-2.0
#include "study/carry_out.hpp"

#include <algorithm>

#include "study/amend.hpp"
#include "study/attempts.hpp"
#include "study/ending.hpp"
#include "study/reveal.hpp"
#include "study/view.hpp"

namespace dlrun::study {

using trial::TrialState;

namespace {

/// An heir holds its donor's checkpoints from now on, whatever becomes of the donor.
void inherit(Trials& trials, const Decision& d) {
  const trial::TrialId donor = d.donor->member.trial;
  Record& heir = trials[d.key.member.trial];
  heir.donor = donor;
  heir.donor_piece = static_cast<std::int16_t>(d.donor->piece);
  heir.first = static_cast<std::int16_t>(trials[donor].rung_after(d.donor->piece) + 1);
  for (int m = 0; m < trials.plan().count(); ++m) {
    trials[trials.plan().at(d.key.member.trial, m)].last = trials[trials.plan().at(donor, m)].last;
  }
}

/// All members that have not done this piece owe it.
void open_round(State& s, const Decision& d, bool is_retry) {
  const trial::TrialId id = d.key.member.trial;
  Round round;
  round.piece = d.key.piece;
  round.epochs = d.to_step - d.from_step;
  round.is_retry = is_retry;
  round.owed = s.trials.members_before(id, d.key.piece);
  s.rounds.open(id, std::move(round));
  for (int m = 0; m < s.trials.plan().count(); ++m) s.trials[s.trials.plan().at(id, m)].has_failed = false;
  s.trials[id].state = TrialState::running;
  s.trials[id].cause = trial::Cause::none;
}

void begin_piece(State& s, const Decision& d, int attempt, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  s.rounds.settle(id, s.trials.plan().index_of(d.key.member));
  Piece piece;
  piece.decision = d.number;
  piece.key = d.key;
  piece.lane = d.lane;
  piece.end = d.end;
  piece.attempt = piece.newest = attempt;
  s.clock.start(piece);
  s.epochs += d.to_step - d.from_step;
  start_newest(s, piece, 0, out);
  if (s.trials[id].state == TrialState::running) report_change(s, id, "", out);
}

void start(State& s, const Decision& d, Output& out) {
  const trial::TrialId id = s.trials.add(d.values);
  if (!d.donor && !s.agenda.points.empty()) s.agenda.points.pop_front();  // no proposal comes before these
  s.trials[id].first = static_cast<std::int16_t>(s.pruner->first_rung());
  if (d.donor) inherit(s.trials, d);
  if (!d.donor) s.proposer.start(id, d.values);  // an heir is no proposal of the sampler
  s.explorer->on_start(id, d.values, s.trials[id].donor);
  s.pruner->on_start(id);
  open_round(s, d, false);
  begin_piece(s, d, 1, out);
}

void begin_round(State& s, const Decision& d) {
  const trial::TrialId id = d.key.member.trial;
  const bool is_retry = s.agenda.has_retry(id);
  if (!is_retry) s.pruner->claim(id, s.trials[id].rung_after(d.key.piece) - 1);
  open_round(s, d, is_retry);
  if (is_retry) std::erase(s.agenda.retries, id);
}

void go_on(State& s, const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  if (!s.rounds.find(id)) begin_round(s, d);
  const int above_all = s.trials[id].attempts + 1;  // above every attempt of this piece
  begin_piece(s, d, s.rounds.find(id)->is_retry ? above_all : 1, out);
}

/// A trial is stopped between two members: its value is the mean of those that were measured.
void end_round_early(State& s, trial::TrialId id) {
  s.trials.take_means(id);
  s.trials[id].steps = s.trials[s.trials.plan().at(id, 0)].steps;
  s.rounds.close(id);
  tell_sampler(s, id, true, false);
}

void prune(State& s, const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  s.pruner->on_gone(id);
  if (s.rounds.find(id)) end_round_early(s, id);
  s.trials[id].state = TrialState::pruned;
  report_change(s, id, d.reason, out);
}

void idle(Clock& clock, const Decision& d) {
  if (d.lanes == 1) return clock.idle(d.lane, d.end);  // earlier versions wrote a decision for each lane
  clock.idle_all(d.end);
}

}  // namespace

void carry_out(State& s, const Decision& decision, Output& out) {
  switch (decision.kind) {
    case DecisionKind::start: start(s, decision, out); break;
    case DecisionKind::go_on: go_on(s, decision, out); break;
    case DecisionKind::idle: idle(s.clock, decision); break;
    case DecisionKind::prune: prune(s, decision, out); break;
    case DecisionKind::finish: finish(s, decision.reason, out); break;
    case DecisionKind::amend: amend(s, decision.at, out); break;
  }
  s.next_number += std::max(decision.lanes, 1);
}

}  // namespace dlrun::study
