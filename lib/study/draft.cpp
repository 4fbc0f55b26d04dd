// SPDX-License-Identifier: Apache-2.0
#include "study/draft.hpp"

#include <algorithm>

namespace dlrun::study {

Decision draft_at(const State& s, const Moment& moment) {
  Decision draft;
  draft.number = s.next_number;
  draft.lane = moment.lane;
  draft.at = moment.at;
  return draft;
}

void set_piece(const State& s, Decision& d, const trial::PieceKey& key, int rung) {
  d.key = key;
  const bool is_new = d.kind == DecisionKind::start;
  const std::int64_t from = is_new ? 0 : s.rungs.steps_of(s.trials[key.member.trial], key.piece).from;
  set_steps(s, d, {from, s.rungs.epochs_at(rung)});
}

void set_steps(const State& s, Decision& d, Steps steps) {
  d.from_step = steps.from;
  d.to_step = steps.to;
  if (s.rules.arrival) return;
  const space::Values values = d.kind == DecisionKind::start ? d.values : s.trials.values(d.key.member.trial);
  const Tick cost = s.rules.cost ? s.rules.cost(values, steps.from, steps.to) : 1000 * steps.count();
  d.end = d.at + std::max<Tick>(cost, 1);
}

void set_start(const State& s, Decision& d, int rung) {
  d.kind = DecisionKind::start;
  set_piece(s, d, {s.trials.plan().at(trial::TrialId(s.trials.size()), 0), 0}, rung);
}

void set_next_round(const State& s, Decision& d, trial::TrialId id, int rung) {
  d.kind = DecisionKind::go_on;
  const int piece = s.trials[id].pieces;
  set_piece(s, d, {s.trials.plan().at(id, s.trials.members_before(id, piece).front()), piece}, rung);
}

}  // namespace dlrun::study
