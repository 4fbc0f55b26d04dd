// SPDX-License-Identifier: Apache-2.0
#include "study/replay.hpp"

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::study {

namespace {

/// First member of a new trial, from scratch or from the weights of a donor at its rung.
bool may_start(const State& s, const Decision& d) {
  const bool is_next = d.key.member.trial.value == s.trials.size() && d.key.piece == 0 &&
                       s.trials.plan().index_of(d.key.member) == 0 && s.space.contains(d.values);
  if (!is_next || !d.donor) return is_next && d.to_step == s.rungs.epochs_at(s.pruner->first_rung());
  const trial::TrialId donor = d.donor->member.trial;
  if (!s.trials.contains(donor) || d.donor->piece != s.trials[donor].pieces - 1) return false;
  const int rung = s.trials[donor].rung_after(d.donor->piece);
  return s.rungs.has(rung + 1) && d.from_step == s.rungs.epochs_at(rung) && d.to_step == s.rungs.epochs_at(rung + 1);
}

/// A member that its trial's round owes, or the first one of a new round.
bool may_go_on(const State& s, const trial::PieceKey& key) {
  const trial::TrialId id = key.member.trial;
  if (!s.trials.contains(id)) return false;
  const int member = s.trials.plan().index_of(key.member);
  const Round* round = s.rounds.find(id);
  if (round) return key.piece == round->piece && round->owes(member);
  const std::vector<int> members = s.trials.members_before(id, key.piece);
  return key.piece == s.trials[id].pieces && !members.empty() && members.front() == member &&
         s.rungs.has(s.trials[id].rung_after(key.piece));
}

/// A paused trial, or one between two of its members.
bool may_stop(const State& s, trial::TrialId id) {
  if (!s.trials.contains(id)) return false;
  const Round* round = s.rounds.find(id);
  return round ? round->pending == 0 && s.pruner->judges_members() : s.trials[id].state == trial::TrialState::paused;
}

bool is_possible(const State& s, const Decision& d) {
  if (!s.trials.plan().has(d.key.member)) return false;
  switch (d.kind) {
    case DecisionKind::start: return may_start(s, d);
    case DecisionKind::go_on: return may_go_on(s, d.key);
    case DecisionKind::prune: return may_stop(s, d.key.member.trial);
    case DecisionKind::idle: return d.lanes == 1 || d.lanes == s.clock.free_before(d.end);
    case DecisionKind::amend:
      return !s.agenda.amendments.empty() && !s.clock.next_visible() && s.rounds.owing().empty();
    default: return true;
  }
}

}  // namespace

void require_follows(const State& s, const Decision& d) {
  const auto moment = s.clock.next();
  const bool is_next = moment && moment->lane == d.lane && (s.rules.arrival ? d.at <= moment->at : d.at == moment->at);
  if (d.number == s.next_number && s.stage.is_searching() && is_next) return;
  throw Error(ErrorKind::store, fmt::format("decision {} does not follow from the log before it", d.number));
}

void require_possible(const State& s, const Decision& d) {
  if (is_possible(s, d)) return;
  throw Error(ErrorKind::store, fmt::format("decision {} does not fit the trials before it", d.number));
}

}  // namespace dlrun::study
