// SPDX-License-Identifier: Apache-2.0
#include "study/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/choose_trial.hpp"
#include "study/draft.hpp"
#include "study/reasons.hpp"

namespace dlrun::study {

namespace {

/// A trial that the pruner stops. The decision takes no lane.
bool choose_stop(const State& s, Decision& d) {
  const auto stop = s.pruner->next_stop();
  if (!stop) return false;
  const Record& trial = s.trials[stop->trial];
  const Round* round = s.rounds.find(stop->trial);
  d.kind = DecisionKind::prune;
  d.reason = with_metric(s, stop->reason, stop->trial);
  d.key = {{stop->trial}, round ? round->piece : trial.pieces - 1};
  d.to_step = round ? s.rungs.steps_of(trial, round->piece).to : trial.steps;
  d.from_step = d.to_step;
  return true;
}

/// The next member of a trial that was decided. Where the pruner judges each member, those before it must be visible.
bool choose_member(const State& s, Decision& d) {
  const auto waits = [&](trial::TrialId id) { return s.pruner->judges_members() && s.rounds.find(id)->pending > 0; };
  const auto& owing = s.rounds.owing();
  const auto found = std::find_if_not(owing.begin(), owing.end(), waits);
  if (found == owing.end()) return false;
  const Round& round = *s.rounds.find(*found);
  const trial::Member member = s.trials.plan().at(*found, round.owed.front());
  d.kind = DecisionKind::go_on;
  d.reason = member_name(s.trials.plan(), member);
  set_piece(s, d, {member, round.piece}, s.trials[*found].rung_after(round.piece));
  return true;
}

/// A trial that a person wants retried, once its failure is visible.
bool choose_retry(const State& s, Decision& d) {
  const auto& retries = s.agenda.retries;
  const auto is_visible = [&](trial::TrialId id) { return s.rounds.find(id) == nullptr; };
  const auto found = std::find_if(retries.begin(), retries.end(), is_visible);
  if (found == retries.end()) return false;
  const Record& trial = s.trials[*found];
  d.reason = "asked to try again";
  set_next_round(s, d, *found, trial.rung_after(trial.pieces));
  return true;
}

bool choose_promotion(const State& s, Decision& d, const std::optional<pruners::Promotion>& promotion) {
  if (!promotion) return false;
  const trial::TrialId id = promotion->trial;
  const auto members = static_cast<std::int64_t>(s.trials.members_before(id, s.trials[id].pieces).size());
  const Steps steps{s.rungs.epochs_at(promotion->rung), s.rungs.epochs_at(promotion->rung + 1)};
  if (!s.has_epochs_for(members * steps.count())) return false;
  d.reason = with_metric(s, promotion->reason, id);
  set_next_round(s, d, id, promotion->rung + 1);
  return true;
}

/// While an heir is due nothing else is decided, even if the heir does not fit any more: its donor must not continue
/// before it.
bool choose_work(State& s, Decision& d) {
  if (const auto heir = s.pruner->next_heir()) return choose_heir(s, d, *heir);
  return choose_promotion(s, d, s.pruner->next()) || choose_new(s, d) ||
         choose_promotion(s, d, s.pruner->next_at_end());
}

/// Lanes stand idle until something becomes visible.
void idle_until(const State& s, Decision& d, Tick visible) {
  d.kind = DecisionKind::idle;
  d.end = visible;
  d.lanes = s.clock.free_before(visible);
}

/// The rule of a plugin throws here after a fault, before anything else is decided, and also if the search is over. Not
/// before an amendment, which may replace the plugin.
void require_sound(const pruners::Pruner& pruner) { static_cast<void>(pruner.wants_new()); }

/// Work that is decided finishes first: trials get their other members, and nothing else begins.
std::optional<Decision> choose_before_amendment(const State& s, Decision d) {
  if (choose_stop(s, d) || choose_member(s, d) || choose_retry(s, d)) return d;
  const auto visible = s.clock.next_visible();
  if (visible && s.rules.arrival) return std::nullopt;
  d.kind = DecisionKind::amend;
  if (visible) idle_until(s, d, *visible);
  d.reason = fmt::format("version {} of the spec", s.agenda.amendments.front().version);
  return d;
}

}  // namespace

std::optional<Decision> choose(State& s, const Moment& moment) {
  Decision d = draft_at(s, moment);
  if (!s.agenda.amendments.empty()) return choose_before_amendment(s, d);
  require_sound(*s.pruner);
  if (choose_stop(s, d) || choose_member(s, d) || choose_retry(s, d) || choose_asked(s, d)) return d;
  if (!s.progress.is_over() && choose_work(s, d)) return d;
  const auto visible = s.clock.next_visible();
  if (visible && s.rules.arrival) return std::nullopt;
  d.kind = DecisionKind::finish;
  if (visible) idle_until(s, d, *visible);
  d.reason = closing_reason(s);
  return d;
}

}  // namespace dlrun::study
