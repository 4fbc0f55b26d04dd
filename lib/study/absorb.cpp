// SPDX-License-Identifier: Apache-2.0
// What comes from outside. Nothing here decides: results wait in the clock until their logical time.
#include <algorithm>

#include "study/impl.hpp"
#include "study/objective.hpp"

namespace dlrun::study {

using trial::Cause;
using trial::Outcome;
using trial::TrialState;

void Study::Impl::take(const PieceEnded& event, Output& out) {
  const trial::PieceResult& result = event.result;
  if (is_current(result.key, result.attempt)) {
    Piece& piece = *clock.find(result.key.member);
    if (result.outcome == Outcome::failed) return fail_attempt(piece, result.cause, result.message, out);
    return complete(piece, result, out);
  }
  // Stale or repeated. A later attempt of the piece that was committed last must have measured the same.
  if (!trials.contains(result.key.member.trial) || result.outcome == Outcome::failed) return;
  const Record& record = trials[result.key.member.trial];
  const bool is_last = record.digest != 0 && result.key.piece == record.pieces - 1;
  if (is_last && record.digest != digest(result)) out.effects.push_back(Diverged{result.key, result.attempt});
}

void Study::Impl::take(const AttemptLost& event, Output& out) {
  if (!is_current(event.key, event.attempt)) return;
  fail_attempt(*clock.find(event.key.member), event.cause, event.message, out);
}

void Study::Impl::complete(Piece& piece, const trial::PieceResult& result, Output& out) {
  const trial::TrialId id = piece.key.member.trial;
  Record& record = trials[id];
  std::optional<Measured> earlier;
  if (record.value()) earlier = Measured{record.objective, record.objective_step};
  const auto measured = measure(rules_.objective, result.reports, earlier);
  if (const auto* none = std::get_if<Unmeasured>(&measured))
    return fail_attempt(piece, none->cause, none->message, out);

  const auto [value, step] = std::get<Measured>(measured);
  std::vector<double> extras(trials.extras(id).begin(), trials.extras(id).end());
  if (const auto none = measure_extras(rules_, result.reports, step, extras))
    return fail_attempt(piece, none->cause, none->message, out);
  std::copy(extras.begin(), extras.end(), trials.extras(id).begin());
  const bool is_early = result.outcome == Outcome::early;
  const std::int64_t reported = result.reports.empty() ? record.steps : result.reports.back().step;
  record.objective = value;
  record.objective_step = static_cast<std::int32_t>(step);
  record.steps = static_cast<std::int32_t>(is_early ? reported : steps_after(piece.key));
  record.pieces = static_cast<std::int16_t>(piece.key.piece + 1);
  record.digest = digest(result);
  for (const trial::Artifact& artifact : result.artifacts) {
    if (artifact.role == "last") record.last = artifact.sha256;
    if (artifact.role == "best") record.best = artifact.sha256;
  }
  const bool is_whole = is_early || static_cast<std::size_t>(record.first + record.pieces) == rungs_.size();
  record.state = is_whole ? TrialState::completed : TrialState::paused;
  if (is_whole) note_completed(id);

  piece.value = value;
  piece.further = further_costs(id);
  piece.excess = excess(id);
  piece.curve = curve(rules_.objective, result.reports);
  piece.steps = record.steps;
  piece.goes_on = !is_early;
  clock.end(piece);
  changed(id, result.message, out);
}

void Study::Impl::fail_attempt(Piece& piece, Cause cause, const std::string& message, Output& out) {
  const trial::TrialId id = piece.key.member.trial;
  if (failures_.allows_another(id, cause)) {
    ++piece.attempt;
    return start_attempt(piece, out);
  }
  trials[id].state = TrialState::failed;
  trials[id].cause = cause;
  piece.value.reset();
  piece.steps = trials[id].steps;
  clock.end(piece);
  changed(id, message, out);
}

void Study::Impl::start_attempt(const Piece& piece, Output& out) {
  Record& record = trials[piece.key.member.trial];
  ++record.attempts;
  out.effects.push_back(
      StartPiece{piece.key, piece.attempt, steps_before(piece.key), steps_after(piece.key), record.last});
}

void Study::Impl::take(const StopAsked& event, Output&) {
  if (phase != Phase::searching || is_stopped) return;
  is_stopped = true;
  reason = event.reason;
}

void Study::Impl::take(const Resumed&, Output&) {
  if (!is_stopped) return;
  is_stopped = false;
  reason.clear();
}

void Study::Impl::take(const CancelAsked& event, Output& out) {
  if (!trials.contains(event.trial) || trial::is_final(trials[event.trial].state)) return;
  if (Piece* piece = clock.find({event.trial}); piece && !piece->has_ended) {
    out.effects.push_back(AbandonPiece{piece->key, piece->attempt});
    clock.end(*piece);
  }
  std::erase(retries_, event.trial);
  pruner_->on_gone(event.trial);
  trials[event.trial].state = TrialState::cancelled;
  trials[event.trial].cause = Cause::cancelled;
  changed(event.trial, "", out);
}

void Study::Impl::take(const RetryAsked& event, Output& out) {
  if (!trials.contains(event.trial) || trials[event.trial].state != TrialState::failed) return;
  failures_.forget(event.trial);
  retries_.push_back(event.trial);
  trials[event.trial].state = TrialState::waiting;
  trials[event.trial].cause = Cause::none;
  if (phase != Phase::searching) reason.clear();
  phase = Phase::searching;  // a search that was over goes on at its last time
  changed(event.trial, "", out);
}

void Study::Impl::take(const TestMeasured& event, Output& out) {
  const trial::PieceResult& result = event.result;
  if (phase != Phase::testing || result.key.member.trial != best()) return;
  if (result.outcome == Outcome::failed && failures_.allows_another(result.key.member.trial, result.cause)) {
    return ask_test(out);
  }
  phase = Phase::over;
  out.effects.push_back(Finished{reason});
}

Output Study::Impl::resume_work() {
  Output out;
  auto pieces = clock.pending();
  std::sort(pieces.begin(), pieces.end(), [](auto* a, auto* b) { return a->decision < b->decision; });
  for (Piece* piece : pieces) {
    if (piece->has_ended) continue;
    const AttemptLost lost{piece->key, piece->attempt, Cause::driver_lost, "the driver vanished", ""};
    out.events.emplace_back(lost);
    take(lost, out);
  }
  if (phase == Phase::testing) ask_test(out);
  return out;
}

}  // namespace dlrun::study
