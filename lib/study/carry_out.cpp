// SPDX-License-Identifier: Apache-2.0
// A decision comes true: the same path for fresh decisions and for replayed ones, so that both end in one state.
#include <fmt/format.h>

#include "study/impl.hpp"

namespace dlrun::study {

using trial::TrialState;

void Study::Impl::carry_out(const Decision& decision, Output& out) {
  switch (decision.kind) {
    case DecisionKind::start: start(decision, out); break;
    case DecisionKind::go_on: go_on(decision, out); break;
    case DecisionKind::idle: clock.idle(decision.lane, decision.end); break;
    case DecisionKind::prune: prune(decision, out); break;
    case DecisionKind::finish: finish(decision, out); break;
  }
  ++next_number_;
}

void Study::Impl::start(const Decision& d, Output& out) {
  const trial::TrialId id = trials.add(d.values);
  trials[id].first = static_cast<std::int16_t>(pruner_->first_rung());
  sampler_->on_start(id, d.values);
  pruner_->on_start(id);
  begin_piece(d, 1, out);
}

void Study::Impl::go_on(const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  if (trials[id].state == TrialState::waiting) {  // asked to try again
    std::erase(retries_, id);
    return begin_piece(d, trials[id].attempts + 1, out);  // above every attempt of this piece
  }
  pruner_->claim(id, rung_after(id, d.key.piece) - 1);
  begin_piece(d, 1, out);
}

void Study::Impl::begin_piece(const Decision& d, int attempt, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  Piece piece;
  piece.decision = d.number;
  piece.key = d.key;
  piece.lane = d.lane;
  piece.end = d.end;
  piece.attempt = attempt;
  clock.start(piece);
  epochs_ += d.to_step - d.from_step;
  trials[id].state = TrialState::running;
  start_attempt(piece, out);
  changed(id, "", out);
}

void Study::Impl::prune(const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  pruner_->on_gone(id);
  trials[id].state = TrialState::pruned;
  changed(id, d.reason, out);
}

void Study::Impl::finish(const Decision& d, Output& out) {
  reason = d.reason;
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const trial::TrialId id(i);
    if (trials[id].state != TrialState::paused) continue;
    const bool is_good = meets_target(trials[id].objective, score_of(id).violation);
    const bool is_done = is_good || pruner_->is_whole(id);  // nobody wanted more of it
    trials[id].state = is_done ? TrialState::completed : TrialState::pruned;
    if (is_done) note_completed(id);
    changed(
        id,
        is_done ? "" : fmt::format("not among those that went on from rung {}", rung_after(id, trials[id].pieces - 1)),
        out);
  }
  end_search(out);
}

void Study::Impl::end_search(Output& out) {
  phase = rules_.test_best && best() ? Phase::testing : Phase::over;
  if (phase == Phase::testing) return ask_test(out);
  out.effects.push_back(Finished{reason});
}

void Study::Impl::ask_test(Output& out) const {
  const Record& r = trials[*best()];
  const bool has_best = rules_.objective.at_best && !r.best.empty();
  out.effects.push_back(MeasureTest{*best(), has_best ? r.best : r.last, has_best ? r.objective_step : r.steps});
}

}  // namespace dlrun::study
