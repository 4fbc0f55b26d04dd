// SPDX-License-Identifier: Apache-2.0
#include "study/reveal.hpp"

#include "study/objective.hpp"

namespace dlrun::study {

namespace {

using Score = std::optional<pareto::Score>;

/// The mean over all members at the epochs of a round. One that ended early in an earlier round stands in with its
/// objective, from before the first epoch on.
Curve mean_of_round(const State& s, trial::TrialId id, const Round& round) {
  constexpr std::int64_t kBefore = 0;
  std::vector<Curve> curves = round.curves;
  for (int i = 0; i < s.trials.plan().count(); ++i) {
    const MemberRecord& member = s.trials[s.trials.plan().at(id, i)];
    if (member.has_ended && member.pieces <= round.piece && member.value())
      curves.push_back({{kBefore, *member.value()}});
  }
  Curve mean = mean_curve(curves);
  std::erase_if(mean, [](const auto& point) { return point.first == kBefore; });
  return mean;
}

void tell_pruner(State& s, trial::TrialId id, const Round& round, const Score& score) {
  std::vector<pruners::Point> points;
  for (const auto& [epoch, value] : mean_of_round(s, id, round)) {
    points.push_back({epoch, cost_of(s.rules.objective, value)});
  }
  s.pruner->on_curve(id, points);
  s.pruner->on_score(id, s.trials[id].rung_after(round.piece), score);
  if (score && s.trials.is_early(id)) s.pruner->on_complete(id);
}

void reveal_piece(State& s, const Piece& piece) {
  const trial::Member& member = piece.key.member;
  Round& round = *s.rounds.find(member.trial);
  --round.pending;
  round.curves.push_back(piece.curve);
  if (!piece.value) {
    round.has_failed = true;
    s.rounds.drop_owed(member.trial);
  }
  if (s.pruner->judges_members() && piece.value) {
    s.pruner->on_member(member.trial, s.trials.plan().index_of(member), cost_of(s.rules.objective, *piece.value));
  }
  if (round.is_over()) close_round(s, member.trial);
}

}  // namespace

void reveal(State& s, Tick at) {
  for (const Piece& piece : s.clock.reveal(at)) reveal_piece(s, piece);
}

void close_round(State& s, trial::TrialId id) {
  const Round round = *s.rounds.find(id);
  s.rounds.close(id);
  Score score;
  if (!round.has_failed) score = s.ranking.score_of(id);
  tell_pruner(s, id, round, score);
  s.explorer->on_result(id, s.trials[id].steps, score ? std::optional(score->values[0]) : std::nullopt);
  const bool is_last = s.rungs.is_last(s.trials[id].rung_after(round.piece));
  tell_sampler(s, id, score.has_value(), is_last || (score && s.trials.is_early(id)));
  if (score && s.ranking.meets_target(id)) s.progress.meet_target(id);
  s.progress.see(id, round.piece, score);
}

void tell_sampler(State& s, trial::TrialId id, bool has_value, bool is_whole) {
  const Record& record = s.trials[id];
  if (record.donor.exists()) return;  // an heir is no proposal of the sampler: its value is its donor's merit too
  samplers::Observation seen{id, s.trials.values(id), std::nullopt, record.steps, is_whole};
  if (has_value) {
    seen.objective = cost_of(s.rules.objective, record.objective);
    seen.further = s.ranking.further_costs(id);
    seen.excess = s.ranking.excess(id);
  }
  s.proposer.hear(seen);
}

}  // namespace dlrun::study
