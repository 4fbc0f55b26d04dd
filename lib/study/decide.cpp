// SPDX-License-Identifier: Apache-2.0
// Decisions: a pure function of earlier decisions, visible results and people's events.
#include <fmt/format.h>

#include <algorithm>

#include "study/impl.hpp"
#include "study/interval.hpp"
#include "study/objective.hpp"
#include "util/error.hpp"

namespace dlrun::study {

Output Study::Impl::decide() {
  Output out;
  while (stage.is_searching() && !stage.is_stopped()) {
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
  if (!trials.plan().has(d.key.member)) return false;
  switch (d.kind) {
    case DecisionKind::start: return may_start(d);
    case DecisionKind::go_on: return trials.contains(id) && may_go_on(d.key);
    case DecisionKind::prune:
      return trials.contains(id) && (rounds_.find(id) ? rounds_.find(id)->pending == 0 && pruner_->judges_members()
                                                      : trials[id].state == trial::TrialState::paused);
    case DecisionKind::idle: return d.lanes == 1 || d.lanes == clock.free_before(d.end);
    case DecisionKind::amend: return !agenda_.amendments.empty() && !clock.next_visible() && rounds_.owing().empty();
    default: return true;
  }
}

/// The first member of a new trial: from scratch, or from what a donor has at its rung.
bool Study::Impl::may_start(const Decision& d) const {
  const bool is_next = d.key.member.trial.value == trials.size() && d.key.piece == 0 &&
                       trials.plan().index_of(d.key.member) == 0 && space_.contains(d.values);
  if (!is_next || !d.donor) return is_next && d.to_step == rungs_.epochs_at(pruner_->first_rung());
  const trial::TrialId donor = d.donor->member.trial;
  if (!trials.contains(donor) || d.donor->piece != trials[donor].pieces - 1) return false;
  const int rung = trials[donor].rung_after(d.donor->piece);
  return rungs_.has(rung + 1) && d.from_step == rungs_.epochs_at(rung) && d.to_step == rungs_.epochs_at(rung + 1);
}

/// A member that its trial's round owes, or the first of a new round.
bool Study::Impl::may_go_on(const trial::PieceKey& key) const {
  const int member = trials.plan().index_of(key.member);
  const Round* round = rounds_.find(key.member.trial);
  if (round) return key.piece == round->piece && round->owes(member);
  const std::vector<int> members = trials.members_before(key.member.trial, key.piece);
  return key.piece == trials[key.member.trial].pieces && !members.empty() && members.front() == member &&
         rungs_.has(trials[key.member.trial].rung_after(key.piece));
}

void Study::Impl::require_follows(const Decision& d) const {
  const auto moment = clock.next();
  const bool is_next = moment && moment->lane == d.lane && (rules_.arrival ? d.at <= moment->at : d.at == moment->at);
  if (d.number == next_number_ && stage.is_searching() && is_next) return;
  throw Error(ErrorKind::store, fmt::format("decision {} does not follow from the log before it", d.number));
}

/// Shows sampler and pruner what has become visible, in logical order. Together with a decision or not at all, so that
/// an event never falls between the two.
void Study::Impl::reveal(Tick at) {
  for (const Piece& piece : clock.reveal(at)) reveal(piece);
}

void Study::Impl::reveal(const Piece& piece) {
  const trial::Member& member = piece.key.member;
  Round& round = *rounds_.find(member.trial);
  --round.pending;
  round.curves.push_back(piece.curve);
  if (!piece.value) {
    round.has_failed = true;
    rounds_.drop_owed(member.trial);
  }
  if (pruner_->judges_members() && piece.value) {
    pruner_->on_member(member.trial, trials.plan().index_of(member), cost_of(rules_.objective, *piece.value));
  }
  if (round.is_over()) close_round(member.trial);
}

/// The trial's value at this rung is visible.
void Study::Impl::close_round(trial::TrialId id) {
  const Round round = *rounds_.find(id);
  rounds_.close(id);
  std::optional<pareto::Score> score;
  if (!round.has_failed) score = ranking.score_of(id);
  show_pruner(id, round, score);
  explorer_->on_result(id, trials[id].steps, score ? std::optional(score->values[0]) : std::nullopt);
  const bool is_last = rungs_.is_last(trials[id].rung_after(round.piece));
  tell_sampler(id, score.has_value(), is_last || (score && trials.is_early(id)));
  if (score && ranking.meets_target(id)) progress_.meet_target(id);
  progress_.see(id, round.piece, score);
}

void Study::Impl::tell_sampler(trial::TrialId id, bool has_value, bool is_whole) {
  if (trials[id].donor.exists()) return;  // no proposal of its: what it measured is its donor's merit too
  samplers::Observation seen{id, trials.values(id), std::nullopt, trials[id].steps, is_whole};
  if (has_value) {
    seen.objective = cost_of(rules_.objective, trials[id].objective);
    seen.further = ranking.further_costs(id);
    seen.excess = ranking.excess(id);
  }
  proposer_.hear(seen);
}

void Study::Impl::show_pruner(trial::TrialId id, const Round& round, const std::optional<pareto::Score>& score) {
  std::vector<pruners::Point> points;
  for (const auto& [epoch, value] : mean_curve(round.curves))
    points.push_back({epoch, cost_of(rules_.objective, value)});
  pruner_->on_curve(id, points);
  pruner_->on_score(id, trials[id].rung_after(round.piece), score);
  if (score && trials.is_early(id)) pruner_->on_complete(id);
}

std::optional<Decision> Study::Impl::choose(const Moment& moment) {
  Decision d;
  d.number = next_number_;
  d.lane = moment.lane;
  d.at = moment.at;
  if (!agenda_.amendments.empty()) return choose_before_amendment(d);
  if (choose_stop(d) || choose_member(d) || choose_retry(d) || choose_asked(d)) return d;
  if (!progress_.is_over() && choose_work(d)) return d;
  const bool waits = clock.next_visible().has_value();
  if (waits && rules_.arrival) return std::nullopt;
  choose_nothing(d);
  return d;
}

/// What is decided finishes: trials get their other members, and nothing else begins.
std::optional<Decision> Study::Impl::choose_before_amendment(Decision d) const {
  if (choose_stop(d) || choose_member(d) || choose_retry(d)) return d;
  const auto visible = clock.next_visible();
  if (visible && rules_.arrival) return std::nullopt;
  d.kind = visible ? DecisionKind::idle : DecisionKind::amend;
  d.end = visible.value_or(0);
  if (visible) d.lanes = clock.free_before(d.end);
  d.reason = fmt::format("version {} of the spec", agenda_.amendments.front().version);
  return d;
}

/// While an heir is due nothing else is decided, even if it does not fit any more: its donor must not go on before it.
bool Study::Impl::choose_work(Decision& d) {
  if (pruner_->next_heir()) return choose_heir(d);
  return choose_promotion(d) || choose_new(d) || promote(d, pruner_->next_at_end());
}

/// Takes no lane.
bool Study::Impl::choose_stop(Decision& d) const {
  const auto stop = pruner_->next_stop();
  if (!stop) return false;
  d.kind = DecisionKind::prune;
  d.reason = with_metric(stop->reason, stop->trial);
  const Round* round = rounds_.find(stop->trial);
  d.key = {{stop->trial}, round ? round->piece : trials[stop->trial].pieces - 1};
  d.to_step = round ? rungs_.steps_of(trials[stop->trial], d.key.piece).to : trials[stop->trial].steps;
  d.from_step = d.to_step;
  return true;
}

/// The next member of a trial that was decided; where each is judged, once those before it are visible.
bool Study::Impl::choose_member(Decision& d) const {
  for (const trial::TrialId id : rounds_.owing()) {
    const Round& round = *rounds_.find(id);
    if (pruner_->judges_members() && round.pending > 0) continue;
    const trial::Member member = trials.plan().at(id, round.owed.front());
    d.kind = DecisionKind::go_on;
    d.reason = name_of(member);
    set_piece(d, member, round.piece, trials[id].rung_after(round.piece));
    return true;
  }
  return false;
}

/// "replicate 1 of 5, fold 0 of 10", counted from 0.
std::string Study::Impl::name_of(const trial::Member& m) const {
  const trial::Members& plan = trials.plan();
  std::string name;
  if (plan.replicates > 1) name = fmt::format("replicate {} of {}", m.replicate, plan.replicates);
  if (plan.folds > 1) name += fmt::format("{}fold {} of {}", name.empty() ? "" : ", ", m.fold, plan.folds);
  return name;
}

bool Study::Impl::choose_retry(Decision& d) const {
  const auto ready = [&](trial::TrialId id) { return rounds_.find(id) == nullptr; };  // its failure is visible
  const auto found = std::find_if(agenda_.retries.begin(), agenda_.retries.end(), ready);
  if (found == agenda_.retries.end()) return false;
  d.kind = DecisionKind::go_on;
  d.reason = "asked to try again";
  begin_round(d, *found, trials[*found].rung_after(trials[*found].pieces));
  return true;
}

/// The first of the members that a trial's next piece is to be had of.
void Study::Impl::begin_round(Decision& d, trial::TrialId id, int rung) const {
  const int first = trials.members_before(id, trials[id].pieces).front();
  set_piece(d, trials.plan().at(id, first), trials[id].pieces, rung);
}

/// The values of a donor and of its heirs so far: those of one rung follow one another.
std::vector<space::Values> Study::Impl::siblings(const pruners::Heir& heir) const {
  std::vector<space::Values> values{trials.values(heir.donor)};
  for (std::int64_t i = trials.size() - 1; i >= 0; --i) {
    const Record& record = trials[trial::TrialId(i)];
    if (!record.donor.exists() || record.first != heir.rung + 1) break;
    if (record.donor == heir.donor) values.push_back(trials.values(trial::TrialId(i)));
  }
  return values;
}

/// Before its donor goes on, so that the donor's last checkpoint is the one of this rung.
bool Study::Impl::choose_heir(Decision& d) {
  const auto heir = pruner_->next_heir();
  if (!heir) return false;
  const std::int64_t from = rungs_.epochs_at(heir->rung), to = rungs_.epochs_at(heir->rung + 1);
  if (!fits(trials.plan().count() * (to - from))) return false;
  d.kind = DecisionKind::start;
  d.values = explorer_->explore(d.number, {heir->donor, trials.values(heir->donor)}, siblings(*heir));
  d.reason = explorer_->reason().empty() ? heir->reason : heir->reason + "; " + explorer_->reason();
  d.key = {trials.plan().at(trial::TrialId(trials.size()), 0), 0};
  d.donor = trial::PieceKey{{heir->donor}, trials[heir->donor].pieces - 1};
  set_cost(d, from, to);
  return true;
}

/// What a person wants tried comes before what the search would do, also where it would end.
bool Study::Impl::choose_asked(Decision& d) {
  const int rung = pruner_->first_rung();
  if (agenda_.points.empty() || !pruner_->wants_new() || !fits(trials.plan().count() * rungs_.epochs_at(rung)))
    return false;
  d.kind = DecisionKind::start;
  Proposal proposal = proposer_.complete(agenda_.points.front(), d.number, points());
  d.values = std::move(proposal.values);
  d.reason = std::move(proposal.reason);
  set_piece(d, trials.plan().at(trial::TrialId(trials.size()), 0), 0, rung);
  return true;
}

bool Study::Impl::choose_promotion(Decision& d) const { return promote(d, pruner_->next()); }

bool Study::Impl::promote(Decision& d, const std::optional<pruners::Promotion>& promotion) const {
  if (!promotion) return false;
  const auto members =
      static_cast<std::int64_t>(trials.members_before(promotion->trial, trials[promotion->trial].pieces).size());
  if (!fits(members * (rungs_.epochs_at(promotion->rung + 1) - rungs_.epochs_at(promotion->rung)))) return false;
  d.kind = DecisionKind::go_on;
  d.reason = with_metric(promotion->reason, promotion->trial);
  begin_round(d, promotion->trial, promotion->rung + 1);
  return true;
}

bool Study::Impl::choose_new(Decision& d) {
  proposer_.forget_promise();
  if (rules_.limits.trials && trials.size() >= *rules_.limits.trials) return false;
  if (!pruner_->wants_new()) return false;
  const int rung = pruner_->first_rung();
  if (!fits(trials.plan().count() * rungs_.epochs_at(rung))) return false;
  auto proposal = proposer_.propose(d.number, rules_.limits.improvement);
  if (!proposal) return false;
  d.kind = DecisionKind::start;
  d.reason = std::move(proposal->reason);
  d.values = std::move(proposal->values);
  set_piece(d, trials.plan().at(trial::TrialId(trials.size()), 0), 0, rung);
  return true;
}

void Study::Impl::choose_nothing(Decision& d) const {
  const auto visible = clock.next_visible();
  d.kind = visible ? DecisionKind::idle : DecisionKind::finish;
  d.end = visible.value_or(0);
  if (visible) d.lanes = clock.free_before(d.end);
  d.reason = closing_reason();
}

void Study::Impl::set_piece(Decision& d, const trial::Member& member, int piece, int rung) const {
  d.key = {member, piece};
  const bool is_new = d.kind == DecisionKind::start;
  set_cost(d, is_new ? 0 : rungs_.steps_of(trials[member.trial], piece).from, rungs_.epochs_at(rung));
}

void Study::Impl::set_cost(Decision& d, std::int64_t from, std::int64_t to) const {
  d.from_step = from;
  d.to_step = to;
  if (rules_.arrival) return;
  const space::Values values = d.kind == DecisionKind::start ? d.values : trials.values(d.key.member.trial);
  const Tick cost = rules_.cost ? rules_.cost(values, d.from_step, d.to_step) : 1000 * (d.to_step - d.from_step);
  d.end = d.at + std::max<Tick>(cost, 1);
}

bool Study::Impl::fits(std::int64_t epochs) const {
  return !rules_.limits.epochs || epochs_ + rounds_.owed_epochs() + epochs <= *rules_.limits.epochs;
}

std::string Study::Impl::closing_reason() const {
  if (progress_.is_over()) return progress_.reason();
  if (!pruner_->wants_new() && !pruner_->next_heir() && !pruner_->next()) return pruner_->closing_reason();
  if (pruner_->wants_new() && rules_.limits.trials && trials.size() >= *rules_.limits.trials) {
    return fmt::format("limit of {} trial{}", *rules_.limits.trials, *rules_.limits.trials == 1 ? "" : "s");
  }
  if (!pruner_->wants_new() || !fits(trials.plan().count() * rungs_.epochs_at(pruner_->first_rung())))
    return fmt::format("limit of {} epoch{}", *rules_.limits.epochs, *rules_.limits.epochs == 1 ? "" : "s");
  if (const auto promised = proposer_.too_little())
    return fmt::format("expected improvement of {:.3g}, under {:g}", *promised, *rules_.limits.improvement);
  return proposer_.reason();
}

std::string Study::Impl::with_metric(const std::string& reason, trial::TrialId trial) const {
  const Round* round = rounds_.find(trial);
  if (round) return fmt::format("{}; {} {:.6g}", reason, rules_.objective.metric, mean(trials.objectives(trial)));
  std::string out = fmt::format("{}; {} {:.6g}", reason, rules_.objective.metric, trials[trial].objective);
  for (std::size_t i = 0; i < rules_.further.size(); ++i)
    out += fmt::format(", {} {:.6g}", rules_.further[i].metric, trials.extras(trial)[i]);
  const double violation = ranking.score_of(trial).violation;
  return violation > 0 ? fmt::format("{}, infeasible by {:.3g}", out, violation) : out;
}

}  // namespace dlrun::study
