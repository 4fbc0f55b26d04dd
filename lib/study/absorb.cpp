// SPDX-License-Identifier: Apache-2.0
// What comes from outside. Nothing here decides: results wait in the clock until their logical time.
#include <algorithm>

#include "space/asked.hpp"
#include "study/impl.hpp"
#include "study/interval.hpp"
#include "study/objective.hpp"

namespace dlrun::study {

using trial::Cause;
using trial::Outcome;
using trial::TrialState;

void Study::Impl::take(const PieceEnded& event, Output& out) {
  const trial::PieceResult& result = event.result;
  if (is_current(result.key, result.attempt)) {
    Piece& piece = *clock.find(result.key.member);
    if (result.outcome == Outcome::failed)
      return fail_attempt(piece, result.attempt, result.cause, result.message, out);
    return complete(piece, result, out);
  }
  // Stale or repeated. A later attempt of the piece that was committed last must have measured the same.
  const trial::Member& member = result.key.member;
  if (!trials.contains(member.trial) || !trials.plan().has(member) || result.outcome == Outcome::failed) return;
  const MemberRecord& record = trials[member];
  const bool is_last = record.digest != 0 && result.key.piece == record.pieces - 1;
  if (is_last && record.digest != digest(result)) out.effects.push_back(Diverged{result.key, result.attempt});
}

void Study::Impl::take(const AttemptLost& event, Output& out) {
  if (!is_current(event.key, event.attempt)) return;
  fail_attempt(*clock.find(event.key.member), event.attempt, event.cause, event.message, out);
}

void Study::Impl::complete(Piece& piece, const trial::PieceResult& result, Output& out) {
  const trial::Member& member = piece.key.member;
  MemberRecord& record = trials[member];
  std::optional<Measured> earlier;
  if (record.value()) earlier = Measured{record.objective, record.objective_step};
  const auto measured = measure(rules_.objective, result.reports, earlier);
  if (const auto* none = std::get_if<Unmeasured>(&measured))
    return fail_attempt(piece, result.attempt, none->cause, none->message, out);

  const auto [value, step] = std::get<Measured>(measured);
  std::vector<double> extras(trials.extras(member).begin(), trials.extras(member).end());
  if (const auto none = measure_extras(rules_, result.reports, step, extras))
    return fail_attempt(piece, result.attempt, none->cause, none->message, out);
  overtake(piece, result.attempt, out);
  std::copy(extras.begin(), extras.end(), trials.extras(member).begin());
  const bool is_early = result.outcome == Outcome::early;
  const std::int64_t reported = result.reports.empty() ? record.steps : result.reports.back().step;
  record.objective = value;
  record.objective_step = static_cast<std::int32_t>(step);
  record.steps =
      static_cast<std::int32_t>(is_early ? reported : rungs_.steps_of(trials[member.trial], piece.key.piece).to);
  record.pieces = static_cast<std::int16_t>(piece.key.piece + 1);
  record.digest = digest(result);
  record.has_ended = is_early;
  for (const trial::Artifact& artifact : result.artifacts) {
    if (artifact.role == "last") record.last = artifact.sha256;
    if (artifact.role == "best") record.best = artifact.sha256;
  }
  piece.value = value;
  piece.curve = curve(rules_.objective, result.reports);
  clock.end(piece);
  if (trials.plan().count() > 1) {
    out.effects.push_back(MemberMeasured{member, value, record.objective_step, record.steps});
  }
  if (settle(member.trial)) changed(member.trial, result.message, out);
}

/// The trial has its objective once all members have theirs at this rung.
bool Study::Impl::settle(trial::TrialId id) {
  const Round& round = *rounds_.find(id);
  if (trials.has_failed(id) || !trials.members_before(id, round.piece).empty()) return false;
  const trial::Members& plan = trials.plan();
  Record& record = trials[id];
  trials.take_means(id);
  for (int m = 0; m < plan.count(); ++m) record.steps = std::max(record.steps, trials[plan.at(id, m)].steps);
  record.pieces = static_cast<std::int16_t>(round.piece + 1);
  const bool is_whole = trials.is_early(id) || !rungs_.has(record.rung_after(record.pieces));
  record.state = is_whole ? TrialState::completed : TrialState::paused;
  if (is_whole) ranking.note_completed(id);
  return true;
}

/// While a copy runs beside it, that is no failure of the piece.
void Study::Impl::fail_attempt(Piece& piece, int attempt, Cause cause, const std::string& message, Output& out) {
  if (piece.drop(attempt)) return;
  const trial::Member& member = piece.key.member;
  if (failures_.allows_another(member, cause)) {
    piece.attempt = ++piece.newest;
    piece.copy = 0;
    return start_attempt(piece, 0, out);
  }
  trials[member].has_failed = true;
  piece.value.reset();
  clock.end(piece);
  Record& record = trials[member.trial];
  // Of several that fail the first in order gives the cause, whichever came first.
  bool is_first = true;
  for (int m = 0; m < trials.plan().index_of(member); ++m) {
    is_first = is_first && !trials[trials.plan().at(member.trial, m)].has_failed;
  }
  if (is_first) record.cause = cause;
  const bool is_asked_for = record.state == TrialState::waiting;  // another attempt, meanwhile
  if (!is_asked_for) record.state = TrialState::failed;
  if (is_first) changed(member.trial, message, out);
}

/// The one that was numbered last.
void Study::Impl::start_attempt(const Piece& piece, int copy_of, Output& out) {
  ++trials[piece.key.member.trial].attempts;
  out.effects.push_back(start_of(piece, piece.newest, copy_of));
}

StartPiece Study::Impl::start_of(const Piece& piece, int attempt, int copy_of) const {
  const std::string& resume = trials[piece.key.member].last;
  const Steps steps = rungs_.steps_of(trials[piece.key.member.trial], piece.key.piece);
  return {piece.key, attempt, steps.from, steps.to, resume, copy_of};
}

void Study::Impl::take(const AttemptCopied& event, Output& out) {
  if (!may_be_copied(event.key, event.attempt)) return;
  Piece& piece = *clock.find(event.key.member);
  piece.copy = ++piece.newest;
  start_attempt(piece, event.attempt, out);
}

/// Whoever else runs the piece need not go on.
void Study::Impl::overtake(const Piece& piece, int winner, Output& out) const {
  for (const int loser : piece.running()) {
    if (loser == winner) continue;
    const std::string message = "attempt " + std::to_string(winner) + " was home first";
    out.events.emplace_back(AttemptLost{piece.key, loser, Cause::overtaken, message, ""});
    out.effects.emplace_back(AbandonPiece{piece.key, loser});
  }
}

void Study::Impl::take(const StopAsked& event, Output&) { stage.stop(event.reason); }

void Study::Impl::take(const Resumed&, Output&) { stage.resume(); }

void Study::Impl::take(const CancelAsked& event, Output& out) {
  if (!trials.contains(event.trial) || trial::is_final(trials[event.trial].state)) return;
  for (int m = 0; m < trials.plan().count(); ++m) {
    Piece* piece = clock.find(trials.plan().at(event.trial, m));
    if (!piece || piece->has_ended) continue;
    for (const int attempt : piece->running()) out.effects.emplace_back(AbandonPiece{piece->key, attempt});
    clock.end(*piece);
  }
  give_up(event.trial);
  std::erase(agenda_.retries, event.trial);
  pruner_->on_gone(event.trial);
  trials[event.trial].state = TrialState::cancelled;
  trials[event.trial].cause = Cause::cancelled;
  changed(event.trial, "", out);
}

/// A cancelled trial owes nothing more.
void Study::Impl::give_up(trial::TrialId id) {
  Round* round = rounds_.find(id);
  if (!round || round->owed.empty()) return;
  round->has_failed = true;
  rounds_.drop_owed(id);
  if (round->is_over()) close_round(id);
}

void Study::Impl::take(const RetryAsked& event, Output& out) {
  if (!trials.contains(event.trial) || trials[event.trial].state != TrialState::failed) return;
  if (is_closed(event.trial)) return;
  failures_.forget(event.trial);
  agenda_.retries.push_back(event.trial);
  trials[event.trial].state = TrialState::waiting;
  trials[event.trial].cause = Cause::none;
  tested_ = 0;
  stage.reopen();
  changed(event.trial, "", out);
}

/// All values of a trial that there is, or that is asked for already, are not tried again.
void Study::Impl::take(const EnqueueAsked& event, Output&) {
  const bool is_known =  // before an amendment takes effect the values may be of a wider space
      agenda_.amendments.empty() && (trials.contains(event.values) || agenda_.has_point(event.values));
  if (is_known && space::is_complete(space_, event.values)) return;
  agenda_.points.push_back(event.values);
  ++agenda_.enqueued;
  if (rules_.limits.trials) ++*rules_.limits.trials;
  stage.reopen();
}

void Study::Impl::take(const TestMeasured& event, Output& out) {
  const trial::PieceResult& result = event.result;
  if (!stage.is_testing()) return;
  const std::vector<trial::Member> all = to_test();
  if (tested_ >= all.size() || result.key.member != all[tested_]) return;
  if (result.outcome == Outcome::failed && failures_.allows_another(result.key.member, result.cause)) {
    return ask_test(out);
  }
  if (++tested_ < all.size()) return ask_test(out);
  stage.end_tests();
  out.effects.push_back(Finished{stage.reason()});
}

/// Not trials of this study: nothing but the sampler hears of them.
void Study::Impl::take(const Learned& event, Output&) {
  std::vector<samplers::Observation> told;
  for (const EarlierTrial& earlier : event.trials) {
    samplers::Observation seen{{}, earlier.values, std::nullopt, earlier.steps, earlier.is_whole};
    for (std::size_t i = 0; i < earlier.objectives.size(); ++i) {
      const double cost = cost_of(i == 0 ? rules_.objective : rules_.further[i - 1], earlier.objectives[i]);
      if (i == 0) seen.objective = cost;
      if (i > 0) seen.further.push_back(cost);
    }
    told.push_back(std::move(seen));
  }
  proposer_.learn(told);
}

Output Study::Impl::resume_work(const IsUnderWay& is_under_way) {
  Output out;
  auto pieces = clock.pending();
  std::sort(pieces.begin(), pieces.end(), [](auto* a, auto* b) { return a->decision < b->decision; });
  for (Piece* piece : pieces) {
    if (piece->has_ended) continue;
    for (const int attempt : piece->running()) {
      if (is_under_way && is_under_way(piece->key, attempt)) {
        out.under_way.push_back(start_of(*piece, attempt, attempt == piece->copy ? piece->attempt : 0));
        continue;
      }
      const AttemptLost lost{piece->key, attempt, Cause::driver_lost, "the driver vanished", ""};
      out.events.emplace_back(lost);
      take(lost, out);
    }
  }
  if (stage.is_testing()) ask_test(out);
  return out;
}

}  // namespace dlrun::study
