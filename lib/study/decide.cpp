// SPDX-License-Identifier: Apache-2.0
// Decisions: a pure function of earlier decisions, visible results and people's events.
#include <fmt/format.h>

#include <algorithm>

#include "study/impl.hpp"
#include "study/objective.hpp"
#include "util/error.hpp"

namespace dlrun::study {

Output Study::Impl::decide() {
  Output out;
  while (phase == Phase::searching && !is_stopped) {
    const auto moment = clock.next();
    if (!moment) break;
    reveal(moment->at);
    auto decision = choose(*moment);
    if (!decision) break;
    carry_out(*decision, out);
    out.decisions.push_back(std::move(*decision));
  }
  return out;
}

void Study::Impl::apply(const Decision& decision) {
  require_follows(decision);
  reveal(decision.at);
  if (!is_possible(decision)) {
    throw Error(ErrorKind::store, fmt::format("decision {} does not fit the trials before it", decision.number));
  }
  Output ignored;
  carry_out(decision, ignored);
}

/// Could this piece be decided now, whoever decides?
bool Study::Impl::is_possible(const Decision& d) const {
  const trial::TrialId id = d.key.member.trial;
  switch (d.kind) {
    case DecisionKind::start:
      return id.value == trials.size() && d.key.piece == 0 && space_.contains(d.values) &&
             d.to_step == epochs_at(pruner_->first_rung());
    case DecisionKind::go_on:
      return trials.contains(id) && d.key.piece == trials[id].pieces && !clock.is_pending(d.key.member) &&
             static_cast<std::size_t>(rung_after(id, d.key.piece)) < rungs_.size();
    case DecisionKind::prune:
      return trials.contains(id) && trials[id].state == trial::TrialState::paused && !clock.is_pending(d.key.member);
    default: return true;
  }
}

void Study::Impl::require_follows(const Decision& d) const {
  const auto moment = clock.next();
  const bool is_next = moment && moment->lane == d.lane && (rules_.arrival ? d.at <= moment->at : d.at == moment->at);
  if (d.number == next_number_ && phase == Phase::searching && is_next) return;
  throw Error(ErrorKind::store, fmt::format("decision {} does not follow from the log before it", d.number));
}

/// Shows sampler and pruner what has become visible, in logical order. Together with a decision or not at all, so that
/// an event never falls between the two.
void Study::Impl::reveal(Tick at) {
  for (const Piece& piece : clock.reveal(at)) {
    const trial::TrialId id = piece.key.member.trial;
    std::optional<double> cost;
    if (piece.value) cost = cost_of(*piece.value);
    show_pruner(piece);
    const bool is_last = static_cast<std::size_t>(rung_after(id, piece.key.piece)) + 1 == rungs_.size();
    const samplers::Observation seen{
        id, trials.values(id), cost, piece.steps, is_last || !piece.goes_on, piece.further, piece.excess};
    sampler_->on_result(seen);
    const bool is_good = piece.value && meets_target(*piece.value, seen.violation());
    if (is_good && !target_met_by_.exists()) target_met_by_ = id;
    note_progress(piece);
  }
}

/// A trial counts once, when its first result becomes visible; a better value at any rung begins the count anew.
void Study::Impl::note_progress(const Piece& piece) {
  if (piece.key.piece == 0) ++trials_since_best_;
  if (piece.value && joins_front(piece)) {
    best_seen_ = piece.key.member.trial;
    trials_since_best_ = 0;
  }
  if (rules_.limits.stall && trials_since_best_ >= *rules_.limits.stall) has_stalled_ = true;
}

pareto::Score Study::Impl::score_of(const Piece& piece) const {
  pareto::Score score{{cost_of(*piece.value)}, 0};
  score.values.insert(score.values.end(), piece.further.begin(), piece.further.end());
  for (const double e : piece.excess) score.violation += std::max(0.0, e);
  return score;
}

/// Does no visible result dominate, or equal, this one? Then it counts from now on.
bool Study::Impl::joins_front(const Piece& piece) {
  pareto::Score score = score_of(piece);
  const bool is_new = std::none_of(front_seen_.begin(), front_seen_.end(), [&](const pareto::Score& seen) {
    return seen == score || pareto::dominates(seen, score);
  });
  if (!is_new) return false;
  std::erase_if(front_seen_, [&](const pareto::Score& seen) { return pareto::dominates(score, seen); });
  front_seen_.push_back(std::move(score));
  return true;
}

void Study::Impl::show_pruner(const Piece& piece) {
  const trial::TrialId id = piece.key.member.trial;
  std::vector<pruners::Point> points;
  points.reserve(piece.curve.size());
  for (const auto& [epoch, value] : piece.curve) points.push_back({epoch, cost_of(value)});
  pruner_->on_curve(id, points);
  pruner_->on_score(id, rung_after(id, piece.key.piece), piece.value ? std::optional(score_of(piece)) : std::nullopt);
  if (!piece.goes_on) pruner_->on_complete(id);
}

std::optional<Decision> Study::Impl::choose(const Moment& moment) {
  Decision d;
  d.number = next_number_;
  d.lane = moment.lane;
  d.at = moment.at;
  if (choose_stop(d) || choose_retry(d)) return d;
  const bool goes_on = !target_met_by_.exists() && !has_stalled_;
  if (goes_on && (choose_promotion(d) || choose_new(d) || promote(d, pruner_->next_at_end()))) return d;
  const bool waits = clock.next_visible().has_value();
  if (waits && rules_.arrival) return std::nullopt;
  choose_nothing(d);
  return d;
}

/// Takes no lane.
bool Study::Impl::choose_stop(Decision& d) const {
  const auto stop = pruner_->next_stop();
  if (!stop) return false;
  d.kind = DecisionKind::prune;
  d.reason = with_metric(stop->reason, stop->trial);
  d.key = {{stop->trial}, trials[stop->trial].pieces - 1};
  d.to_step = trials[stop->trial].steps;
  d.from_step = d.to_step;
  return true;
}

bool Study::Impl::choose_retry(Decision& d) const {
  const auto ready = [&](trial::TrialId id) { return !clock.is_pending({id}); };  // its failure is visible
  const auto found = std::find_if(retries_.begin(), retries_.end(), ready);
  if (found == retries_.end()) return false;
  d.kind = DecisionKind::go_on;
  d.reason = "asked to try again";
  set_piece(d, *found, trials[*found].pieces, rung_after(*found, trials[*found].pieces));
  return true;
}

bool Study::Impl::choose_promotion(Decision& d) const { return promote(d, pruner_->next()); }

bool Study::Impl::promote(Decision& d, const std::optional<pruners::Promotion>& promotion) const {
  if (!promotion || !fits(epochs_at(promotion->rung + 1) - epochs_at(promotion->rung))) return false;
  d.kind = DecisionKind::go_on;
  d.reason = with_metric(promotion->reason, promotion->trial);
  set_piece(d, promotion->trial, trials[promotion->trial].pieces, promotion->rung + 1);
  return true;
}

bool Study::Impl::choose_new(Decision& d) {
  if (rules_.limits.trials && trials.size() >= *rules_.limits.trials) return false;
  const int rung = pruner_->first_rung();
  if (!fits(epochs_at(rung))) return false;
  auto values = sampler_->propose(d.number);
  if (!values) return false;
  d.kind = DecisionKind::start;
  d.reason = sampler_->reason();
  d.values = std::move(*values);
  set_piece(d, trial::TrialId(trials.size()), 0, rung);
  return true;
}

void Study::Impl::choose_nothing(Decision& d) const {
  const auto visible = clock.next_visible();
  d.kind = visible ? DecisionKind::idle : DecisionKind::finish;
  d.end = visible.value_or(0);
  d.reason = closing_reason();
}

void Study::Impl::set_piece(Decision& d, trial::TrialId trial, int piece, int rung) const {
  d.key = {{trial}, piece};
  d.from_step = piece == 0 ? 0 : epochs_at(rung - 1);
  d.to_step = epochs_at(rung);
  if (rules_.arrival) return;
  const space::Values values = d.kind == DecisionKind::start ? d.values : trials.values(trial);
  const Tick cost = rules_.cost ? rules_.cost(values, d.from_step, d.to_step) : 1000 * (d.to_step - d.from_step);
  d.end = d.at + std::max<Tick>(cost, 1);
}

bool Study::Impl::fits(std::int64_t epochs) const {
  return !rules_.limits.epochs || epochs_ + epochs <= *rules_.limits.epochs;
}

std::string Study::Impl::closing_reason() const {
  if (target_met_by_.exists()) {
    return fmt::format("trial {} met the target of {}", target_met_by_.value, *rules_.limits.target);
  }
  if (has_stalled_ && !best_seen_.exists()) return fmt::format("no objective in {} trials", *rules_.limits.stall);
  if (has_stalled_ && !rules_.further.empty())
    return fmt::format("no trial joined the front in {} trials", *rules_.limits.stall);
  if (has_stalled_) {
    return fmt::format("no better objective than trial {}'s in {} trials", best_seen_.value, *rules_.limits.stall);
  }
  if (rules_.limits.trials && trials.size() >= *rules_.limits.trials) {
    return fmt::format("limit of {} trial{}", *rules_.limits.trials, *rules_.limits.trials == 1 ? "" : "s");
  }
  if (!fits(epochs_at(pruner_->first_rung())))
    return fmt::format("limit of {} epoch{}", *rules_.limits.epochs, *rules_.limits.epochs == 1 ? "" : "s");
  return sampler_->reason();
}

std::string Study::Impl::with_metric(const std::string& reason, trial::TrialId trial) const {
  std::string out = fmt::format("{}; {} {:.6g}", reason, rules_.objective.metric, trials[trial].objective);
  for (std::size_t i = 0; i < rules_.further.size(); ++i)
    out += fmt::format(", {} {:.6g}", rules_.further[i].metric, trials.extras(trial)[i]);
  const double violation = score_of(trial).violation;
  return violation > 0 ? fmt::format("{}, infeasible by {:.3g}", out, violation) : out;
}

}  // namespace dlrun::study
