// SPDX-License-Identifier: Apache-2.0
#include "study/results.hpp"

#include <algorithm>

#include "study/attempts.hpp"
#include "study/objective.hpp"
#include "study/view.hpp"

namespace dlrun::study {

using trial::Outcome;
using trial::TrialState;

namespace {

/// Numbers that a result gives to its member.
struct Numbers {
  Measured objective;
  std::vector<double> extras;
};

std::variant<Numbers, Unmeasured> measure_all(const State& s, const trial::PieceResult& result) {
  const MemberRecord& record = s.trials[result.key.member];
  std::optional<Measured> earlier;
  if (record.value()) earlier = Measured{record.objective, record.objective_step};
  auto measured = measure(s.rules.objective, result.reports, earlier);
  const auto* none = std::get_if<Unmeasured>(&measured);
  const bool is_over_before = none && none->cause == trial::Cause::exception && result.outcome == Outcome::early;
  if (is_over_before && earlier) measured = *earlier;  // no more was measured
  if (none = std::get_if<Unmeasured>(&measured); none != nullptr) return *none;
  const auto extras = s.trials.extras(result.key.member);
  Numbers numbers{std::get<Measured>(measured), {extras.begin(), extras.end()}};
  if (auto missing = measure_extras(s.rules, result.reports, numbers.objective.step, numbers.extras)) return *missing;
  return numbers;
}

void record_result(State& s, const trial::PieceResult& result, const Numbers& numbers) {
  const trial::Member& member = result.key.member;
  MemberRecord& record = s.trials[member];
  std::copy(numbers.extras.begin(), numbers.extras.end(), s.trials.extras(member).begin());
  const bool is_early = result.outcome == Outcome::early;
  const std::int64_t reported = result.reports.empty() ? record.steps : result.reports.back().step;
  const std::int64_t planned = s.rungs.steps_of(s.trials[member.trial], result.key.piece).to;
  record.objective = numbers.objective.value;
  record.objective_step = static_cast<std::int32_t>(numbers.objective.step);
  record.steps = static_cast<std::int32_t>(is_early ? reported : planned);
  record.pieces = static_cast<std::int16_t>(result.key.piece + 1);
  record.digest = digest(result);
  record.has_ended = is_early;
  for (const trial::Artifact& artifact : result.artifacts) {
    if (artifact.role == "last") record.last = artifact.sha256;
    if (artifact.role == "best") record.best = artifact.sha256;
  }
}

/// A trial has its objective at a rung once all members have theirs.
/// @return has it now?
bool settle(State& s, trial::TrialId id) {
  const Round& round = *s.rounds.find(id);
  if (s.trials.has_failed(id) || !s.trials.members_before(id, round.piece).empty()) return false;
  const trial::Members& plan = s.trials.plan();
  Record& record = s.trials[id];
  s.trials.take_means(id);
  for (int m = 0; m < plan.count(); ++m) record.steps = std::max(record.steps, s.trials[plan.at(id, m)].steps);
  record.pieces = static_cast<std::int16_t>(round.piece + 1);
  const bool is_whole = s.trials.is_early(id) || !s.rungs.has(record.rung_after(record.pieces));
  record.state = is_whole ? TrialState::completed : TrialState::paused;
  if (is_whole) s.ranking.note_completed(id);
  return true;
}

void complete(State& s, Piece& piece, const trial::PieceResult& result, Output& out) {
  const auto measured = measure_all(s, result);
  if (const auto* none = std::get_if<Unmeasured>(&measured)) {
    return fail_attempt(s, piece, {result.attempt, none->cause, none->message}, out);
  }
  const Numbers& numbers = std::get<Numbers>(measured);
  overtake(piece, result.attempt, out);
  record_result(s, result, numbers);
  piece.value = numbers.objective.value;
  piece.curve = curve(s.rules.objective, result.reports);
  s.clock.end(piece);
  const trial::Member& member = result.key.member;
  if (s.trials.plan().count() > 1) {
    const MemberRecord& record = s.trials[member];
    out.effects.emplace_back(MemberMeasured{member, record.objective, record.objective_step, record.steps});
  }
  if (settle(s, member.trial)) report_change(s, member.trial, result.message, out);
}

/// A result that is stale or repeated changes nothing. A later attempt of the piece that was committed last must have
/// measured the same.
void compare_with_committed(const State& s, const trial::PieceResult& result, Output& out) {
  const trial::Member& member = result.key.member;
  const bool is_known = s.trials.contains(member.trial) && s.trials.plan().has(member);
  if (!is_known || result.outcome == Outcome::failed) return;
  const MemberRecord& record = s.trials[member];
  const bool is_last = record.digest != 0 && result.key.piece == record.pieces - 1;
  if (is_last && record.digest != digest(result)) out.effects.emplace_back(Diverged{result.key, result.attempt});
}

samplers::Observation observation_of(const Rules& rules, const EarlierTrial& earlier) {
  samplers::Observation seen{{}, earlier.values, std::nullopt, earlier.steps, earlier.is_whole};
  for (std::size_t i = 0; i < earlier.objectives.size(); ++i) {
    const double cost = cost_of(i == 0 ? rules.objective : rules.further[i - 1], earlier.objectives[i]);
    if (i == 0) seen.objective = cost;
    if (i > 0) seen.further.push_back(cost);
  }
  return seen;
}

}  // namespace

std::optional<Unmeasured> lack_of(const State& s, const trial::PieceResult& result) {
  if (result.outcome == Outcome::failed) return std::nullopt;
  const auto measured = measure_all(s, result);
  const auto* none = std::get_if<Unmeasured>(&measured);
  return none != nullptr ? std::optional(*none) : std::nullopt;
}

void absorb(State& s, const PieceEnded& event, Output& out) {
  const trial::PieceResult& result = event.result;
  Piece* piece = s.clock.find(result.key, result.attempt);
  if (!piece) return compare_with_committed(s, result, out);
  if (result.outcome != Outcome::failed) return complete(s, *piece, result, out);
  fail_attempt(s, *piece, {result.attempt, result.cause, result.message}, out);
}

void absorb(State& s, const Learned& event, Output&) {
  std::vector<samplers::Observation> seen;
  for (const EarlierTrial& earlier : event.trials) seen.push_back(observation_of(s.rules, earlier));
  s.proposer.learn(seen);
}

}  // namespace dlrun::study
