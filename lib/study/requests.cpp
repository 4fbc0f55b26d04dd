// SPDX-License-Identifier: Apache-2.0
#include "study/requests.hpp"

#include "space/asked.hpp"
#include "study/reveal.hpp"
#include "study/view.hpp"
#include "util/error.hpp"

namespace dlrun::study {

using trial::Cause;
using trial::TrialState;

namespace {

void abandon_pieces(State& s, trial::TrialId id, Output& out) {
  for (int m = 0; m < s.trials.plan().count(); ++m) {
    Piece* piece = s.clock.find(s.trials.plan().at(id, m));
    if (!piece || piece->has_ended) continue;
    for (const int attempt : piece->running()) out.effects.emplace_back(AbandonPiece{piece->key, attempt});
    s.clock.end(*piece);
  }
}

/// A cancelled trial owes no more pieces.
void give_up(State& s, trial::TrialId id) {
  Round* round = s.rounds.find(id);
  if (!round || round->owed.empty()) return;
  round->has_failed = true;
  s.rounds.drop_owed(id);
  if (round->is_over()) close_round(s, id);
}

}  // namespace

void absorb(State& s, const StopAsked& event, Output&) { s.stage.stop(event.reason); }

void absorb(State& s, const Resumed&, Output&) { s.stage.resume(); }

void absorb(State& s, const LaneAdded&, Output&) {
  if (s.rules.arrival) s.clock.add_lane();
}

void absorb(State& s, const CancelAsked& event, Output& out) {
  const trial::TrialId id = event.trial;
  if (!s.trials.contains(id) || is_final(s.trials[id].state)) return;
  abandon_pieces(s, id, out);
  give_up(s, id);
  std::erase(s.agenda.retries, id);
  s.pruner->on_gone(id);
  s.trials[id].state = TrialState::cancelled;
  s.trials[id].cause = Cause::cancelled;
  report_change(s, id, "", out);
}

void absorb(State& s, const RetryAsked& event, Output& out) {
  const trial::TrialId id = event.trial;
  if (!s.trials.contains(id) || s.trials[id].state != TrialState::failed || id < s.closed_before) return;
  s.failures.forget(id);
  s.agenda.retries.push_back(id);
  s.trials[id].state = TrialState::waiting;
  s.trials[id].cause = Cause::none;
  s.tested = 0;
  s.stage.reopen();
  report_change(s, id, "", out);
}

void absorb(State& s, const EnqueueAsked& event, Output&) {
  const bool is_known =  // before an amendment takes effect the values may be of a wider space
      s.agenda.amendments.empty() && (s.trials.contains(event.values) || s.agenda.has_point(event.values));
  if (is_known && space::is_complete(s.space, event.values)) return;
  s.agenda.points.push_back(event.values);
  ++s.agenda.enqueued;
  if (s.rules.limits.trials) ++*s.rules.limits.trials;
  s.stage.reopen();
}

void absorb(State& s, const Amended& event, Output&) {
  if (!event.to) throw Error(ErrorKind::store, "an amendment of the study has no spec");
  s.agenda.amendments.push_back(event);
  s.stage.reopen();
}

}  // namespace dlrun::study
