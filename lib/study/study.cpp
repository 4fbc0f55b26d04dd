// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>

#include "pareto/fronts.hpp"
#include "study/impl.hpp"
#include "study/interval.hpp"
#include "study/objective.hpp"

namespace dlrun::study {

Study::Impl::Impl(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
                  std::unique_ptr<pruners::Pruner> pruner)
    : trials(space.size(), rules.further.size() + rules.bounds.size(), rules.members),
      clock(rules.lanes, rules.slack, rules.stride, rules.arrival),
      rules_(std::move(rules)),
      space_(std::move(space)),
      sampler_(std::move(sampler)),
      pruner_(std::move(pruner)),
      rungs_(pruner_->rungs()),
      failures_(rules_.retries),
      explorer_(samplers::make_explorer(space_, rules_.explorer, rules_.seed)),
      asked_(rules_.enqueue.begin(), rules_.enqueue.end()) {
  if (rungs_.empty()) rungs_ = {rules_.epochs};
}

TrialView Study::Impl::view(trial::TrialId id) const {
  const Record& r = trials[id];
  TrialView view;
  view.id = id;
  view.state = r.state;
  view.values = trials.values(id);
  if (r.state != trial::TrialState::failed) view.objective = r.value();
  view.objective_step = view.objective ? r.objective_step : 0;
  if (view.objective) {
    const auto extras = trials.extras(id);
    view.further.assign(extras.begin(), extras.begin() + static_cast<std::ptrdiff_t>(rules_.further.size()));
    if (!rules_.bounds.empty()) view.violation = score_of(id).violation;
  }
  view.steps = r.steps;
  view.attempts = r.attempts;
  view.cause = r.cause;
  if (r.donor.exists()) view.donor = trial::PieceKey{{r.donor}, r.donor_piece};
  if (view.objective && trials.plan().count() > 1) view.interval = interval(objectives(id));
  return view;
}

std::vector<double> Study::Impl::objectives(trial::TrialId id) const {
  std::vector<double> values;
  for (int m = 0; m < trials.plan().count(); ++m) {
    if (const auto value = trials[trials.plan().at(id, m)].value()) values.push_back(*value);
  }
  return values;
}

/// Sums in the order of the members, so that equal numbers give equal bits.
void Study::Impl::take_means(trial::TrialId id) {
  const trial::Members& plan = trials.plan();
  trials[id].objective = mean(objectives(id));
  trials[id].objective_step = trials[plan.at(id, 0)].objective_step;
  for (std::size_t i = 0; i < trials.extras(id).size(); ++i) {
    std::vector<double> values;
    for (int m = 0; m < plan.count(); ++m) {
      if (const auto& member = trials[plan.at(id, m)]; member.value())
        values.push_back(trials.extras(plan.at(id, m))[i]);
    }
    trials.extras(id)[i] = mean(values);
  }
}

std::vector<int> Study::Impl::members_before(trial::TrialId id, int piece) const {
  std::vector<int> members;
  for (int m = 0; m < trials.plan().count(); ++m) {
    const MemberRecord& record = trials[trials.plan().at(id, m)];
    if (!record.has_ended && record.pieces <= piece) members.push_back(m);
  }
  return members;
}

bool Study::Impl::is_early(trial::TrialId id) const {
  for (int m = 0; m < trials.plan().count(); ++m) {
    if (!trials[trials.plan().at(id, m)].has_ended) return false;
  }
  return true;
}

bool Study::Impl::has_failed(trial::TrialId id) const {
  for (int m = 0; m < trials.plan().count(); ++m) {
    if (trials[trials.plan().at(id, m)].has_failed) return true;
  }
  return false;
}

std::optional<trial::TrialId> Study::Impl::best() const {
  if (best_completed_.exists()) return best_completed_;
  std::optional<Contender> best;
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    if (!trials[trial::TrialId(i)].value()) continue;
    Contender next = contender(trial::TrialId(i));
    if (may_be_best(next) && (!best || ranks_before(next, *best))) best = std::move(next);
  }
  return best ? std::optional(best->id) : std::nullopt;
}

Contender Study::Impl::contender(trial::TrialId id) const { return {id, trials[id].state, score_of(id)}; }

bool Study::Impl::is_current(const trial::PieceKey& key, int attempt) const {
  const Piece* piece = const_cast<Clock&>(clock).find(key.member);
  return piece && !piece->has_ended && piece->key == key && piece->runs(attempt);
}

bool Study::Impl::may_be_copied(const trial::PieceKey& key, int attempt) const {
  const Piece* piece = const_cast<Clock&>(clock).find(key.member);
  return piece && piece->key == key && piece->may_be_copied(attempt);
}

void Study::Impl::changed(trial::TrialId id, const std::string& message, Output& out) const {
  const TrialView v = view(id);
  out.effects.push_back(TrialChanged{id, v.state, v.objective, v.steps, v.cause, message, v.objective_step, v.further,
                                     v.violation, v.interval});
}

void Study::Impl::note_completed(trial::TrialId id) {
  const Contender trial = contender(id);
  if (!may_be_best(trial)) return;
  if (!best_completed_.exists() || ranks_before(trial, contender(best_completed_))) best_completed_ = id;
  completed_.emplace_back(id);
}

std::vector<trial::TrialId> Study::Impl::front() const {
  std::vector<pareto::Score> scores;
  scores.reserve(completed_.size());
  for (const trial::TrialId id : completed_) scores.push_back(score_of(id));
  std::vector<trial::TrialId> front;
  for (const std::size_t i : pareto::front_of(scores)) front.push_back(completed_[i]);
  std::sort(front.begin(), front.end());
  front.erase(std::unique(front.begin(), front.end()), front.end());
  return front;
}

bool Study::Impl::meets_target(double value, double violation) const {
  const bool is_good = rules_.limits.target && !is_better(rules_.objective, *rules_.limits.target, value);
  return is_good && !(violation > 0);
}

std::vector<double> Study::Impl::further_costs(trial::TrialId id) const {
  std::vector<double> costs;
  costs.reserve(rules_.further.size());
  for (std::size_t i = 0; i < rules_.further.size(); ++i)
    costs.push_back(cost_of(rules_.further[i], trials.extras(id)[i]));
  return costs;
}

std::vector<double> Study::Impl::excess(trial::TrialId id) const {
  std::vector<double> excess;
  excess.reserve(rules_.bounds.size());
  const auto bounded = trials.extras(id).subspan(rules_.further.size());
  for (std::size_t i = 0; i < rules_.bounds.size(); ++i) excess.push_back(excess_of(rules_.bounds[i], bounded[i]));
  return excess;
}

pareto::Score Study::Impl::score_of(trial::TrialId id) const {
  pareto::Score score{{cost_of(trials[id].objective)}, 0};
  for (const double cost : further_costs(id)) score.values.push_back(cost);
  for (const double e : excess(id)) score.violation += std::max(0.0, e);
  return score;
}

Study::Study(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
             std::unique_ptr<pruners::Pruner> pruner)
    : impl_(std::make_unique<Impl>(std::move(rules), std::move(space), std::move(sampler), std::move(pruner))) {}
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

Output Study::absorb(const Event& event) {
  Output out;
  std::visit([&](const auto& e) { impl_->take(e, out); }, event);
  return out;
}

Output Study::decide() { return impl_->decide(); }
void Study::apply(const Decision& decision) { impl_->apply(decision); }
Output Study::resume_work(const IsUnderWay& is_under_way) { return impl_->resume_work(is_under_way); }
bool Study::is_finished() const { return impl_->phase == Impl::Phase::over; }
bool Study::is_stopped() const { return impl_->is_stopped; }
std::string Study::finish_reason() const { return impl_->reason; }
bool Study::is_current(const trial::PieceKey& key, int attempt) const { return impl_->is_current(key, attempt); }
bool Study::may_be_copied(const trial::PieceKey& key, int attempt) const { return impl_->may_be_copied(key, attempt); }
std::int64_t Study::trial_count() const { return impl_->trials.size(); }
TrialView Study::trial(trial::TrialId id) const { return impl_->view(id); }
const trial::Members& Study::members() const { return impl_->trials.plan(); }
const space::Space& Study::space() const { return impl_->space(); }
std::vector<space::Values> Study::asked() const { return impl_->asked(); }
bool Study::can_be_retried(trial::TrialId id) const { return !impl_->is_closed(id); }
std::optional<trial::TrialId> Study::best() const { return impl_->best(); }
std::vector<trial::TrialId> Study::front() const { return impl_->front(); }
std::int64_t Study::pending() const { return impl_->clock.unfinished(); }

}  // namespace dlrun::study
