// SPDX-License-Identifier: Apache-2.0
// A decision comes true: the same path for fresh decisions and for replayed ones, so that both end in one state.
#include <algorithm>
#include <string>

#include "study/impl.hpp"

namespace dlrun::study {

using trial::TrialState;

void Study::Impl::carry_out(const Decision& decision, Output& out) {
  switch (decision.kind) {
    case DecisionKind::start: start(decision, out); break;
    case DecisionKind::go_on: go_on(decision, out); break;
    case DecisionKind::idle: idle(decision); break;
    case DecisionKind::prune: prune(decision, out); break;
    case DecisionKind::finish: finish(decision, out); break;
    case DecisionKind::amend: amend(decision, out); break;
  }
  next_number_ += std::max(decision.lanes, 1);
}

/// Earlier versions wrote a decision for each lane.
void Study::Impl::idle(const Decision& d) {
  if (d.lanes == 1) return clock.idle(d.lane, d.end);
  clock.idle_all(d.end);
}

void Study::Impl::start(const Decision& d, Output& out) {
  const trial::TrialId id = trials.add(d.values);
  if (!d.donor && !agenda_.points.empty()) agenda_.points.pop_front();  // no proposal comes before it
  trials[id].first = static_cast<std::int16_t>(pruner_->first_rung());
  if (d.donor) inherit(d);
  if (!d.donor) proposer_.start(id, d.values);  // an heir is no proposal of the sampler
  explorer_->on_start(id, d.values, trials[id].donor);
  pruner_->on_start(id);
  open_round(d.key, d.to_step - d.from_step, false);
  begin_piece(d, 1, out);
}

/// The heir holds its donor's checkpoints from now on, whatever becomes of the donor.
void Study::Impl::inherit(const Decision& d) {
  const trial::TrialId donor = d.donor->member.trial;
  Record& record = trials[d.key.member.trial];
  record.donor = donor;
  record.donor_piece = static_cast<std::int16_t>(d.donor->piece);
  record.first = static_cast<std::int16_t>(trials[donor].rung_after(d.donor->piece) + 1);
  for (int m = 0; m < trials.plan().count(); ++m) {
    trials[trials.plan().at(d.key.member.trial, m)].last = trials[trials.plan().at(donor, m)].last;
  }
}

void Study::Impl::go_on(const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  const bool is_asked_for = agenda_.has_retry(id);
  if (!rounds_.find(id)) {
    if (!is_asked_for) pruner_->claim(id, trials[id].rung_after(d.key.piece) - 1);
    open_round(d.key, d.to_step - d.from_step, is_asked_for);
    if (is_asked_for) std::erase(agenda_.retries, id);
  }
  const int attempt = rounds_.find(id)->is_retry ? trials[id].attempts + 1 : 1;  // above every attempt of this piece
  begin_piece(d, attempt, out);
}

/// All members that have not done this piece owe it; the first begins at once.
void Study::Impl::open_round(const trial::PieceKey& first, std::int64_t epochs, bool is_retry) {
  const trial::TrialId id = first.member.trial;
  Round round;
  round.piece = first.piece;
  round.epochs = epochs;
  round.is_retry = is_retry;
  round.owed = trials.members_before(id, first.piece);
  rounds_.open(id, std::move(round));
  for (int m = 0; m < trials.plan().count(); ++m) trials[trials.plan().at(id, m)].has_failed = false;
  trials[id].state = TrialState::running;
  trials[id].cause = trial::Cause::none;
}

/// Stopped between two members: what they measured so far is all there is of it.
void Study::Impl::end_round_early(trial::TrialId id) {
  Record& record = trials[id];
  trials.take_means(id);
  record.steps = trials[trials.plan().at(id, 0)].steps;
  rounds_.close(id);
  tell_sampler(id, true, false);
}

void Study::Impl::begin_piece(const Decision& d, int attempt, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  rounds_.settle(id, trials.plan().index_of(d.key.member));
  Piece piece;
  piece.decision = d.number;
  piece.key = d.key;
  piece.lane = d.lane;
  piece.end = d.end;
  piece.attempt = piece.newest = attempt;
  clock.start(piece);
  epochs_ += d.to_step - d.from_step;
  start_attempt(piece, 0, out);
  if (trials[id].state == TrialState::running) changed(id, "", out);
}

void Study::Impl::prune(const Decision& d, Output& out) {
  const trial::TrialId id = d.key.member.trial;
  pruner_->on_gone(id);
  if (rounds_.find(id)) end_round_early(id);
  trials[id].state = TrialState::pruned;
  changed(id, d.reason, out);
}

void Study::Impl::finish(const Decision& d, Output& out) {
  const auto left_behind = [&](trial::TrialId id) {
    return kLeftBehind + std::to_string(trials[id].rung_after(trials[id].pieces - 1));
  };
  end_paused(left_behind, out);
  end_search(d.reason, out);
}

/// Nobody decides any more whether they go on.
void Study::Impl::end_paused(const std::function<std::string(trial::TrialId)>& why, Output& out) {
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const trial::TrialId id(i);
    if (trials[id].state != TrialState::paused) continue;
    const bool is_good = ranking.meets_target(id);
    const bool is_done = is_good || pruner_->is_whole(id);  // nobody wanted more of it
    trials[id].state = is_done ? TrialState::completed : TrialState::pruned;
    if (is_done) ranking.note_completed(id);
    changed(id, is_done ? "" : why(id), out);
  }
}

void Study::Impl::end_search(const std::string& reason, Output& out) {
  tested_ = 0;
  stage.end_search(reason, rules_.test_best && ranking.best());
  if (stage.is_testing()) return ask_test(out);
  out.effects.push_back(Finished{reason});
}

/// Members whose test split is measured once the search is over, in the order of that.
std::vector<trial::Member> Study::Impl::to_test() const {
  std::vector<trial::Member> out;
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const trial::TrialId id(i);
    const bool is_wanted = rules_.test_all ? trials[id].state == TrialState::completed : id == ranking.best();
    for (int m = 0; is_wanted && m < trials.plan().count(); ++m) out.push_back(trials.plan().at(id, m));
  }
  return out;
}

void Study::Impl::ask_test(Output& out) const {
  const trial::Member member = to_test()[tested_];
  const MemberRecord& r = trials[member];
  const bool has_best = rules_.objective.at_best && !r.best.empty();
  out.effects.push_back(MeasureTest{member, has_best ? r.best : r.last, has_best ? r.objective_step : r.steps});
}

}  // namespace dlrun::study
