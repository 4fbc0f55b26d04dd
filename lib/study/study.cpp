// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include "study/impl.hpp"
#include "study/interval.hpp"

namespace dlrun::study {

Study::Impl::Impl(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
                  std::unique_ptr<pruners::Pruner> pruner)
    : trials(space.size(), rules.further.size() + rules.bounds.size(), rules.members),
      clock(rules.lanes, rules.slack, rules.stride, rules.arrival),
      ranking(rules_, trials),
      rules_(std::move(rules)),
      space_(std::move(space)),
      proposer_(std::move(sampler)),
      pruner_(std::move(pruner)),
      rungs_(pruner_->rungs(), rules_.epochs),
      failures_(rules_.retries),
      progress_(rules_),
      explorer_(samplers::make_explorer(space_, rules_.explorer, rules_.seed)),
      agenda_(rules_.enqueue) {}

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
    if (!rules_.bounds.empty()) view.violation = ranking.score_of(id).violation;
  }
  view.steps = r.steps;
  view.attempts = r.attempts;
  view.cause = r.cause;
  if (r.donor.exists()) view.donor = trial::PieceKey{{r.donor}, r.donor_piece};
  if (view.objective && trials.plan().count() > 1) view.interval = interval(trials.objectives(id));
  return view;
}

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
bool Study::is_finished() const { return impl_->stage.is_over(); }
bool Study::is_stopped() const { return impl_->stage.is_stopped(); }
std::string Study::finish_reason() const { return impl_->stage.reason(); }
bool Study::is_current(const trial::PieceKey& key, int attempt) const { return impl_->is_current(key, attempt); }
bool Study::may_be_copied(const trial::PieceKey& key, int attempt) const { return impl_->may_be_copied(key, attempt); }
std::int64_t Study::trial_count() const { return impl_->trials.size(); }
TrialView Study::trial(trial::TrialId id) const { return impl_->view(id); }
const trial::Members& Study::members() const { return impl_->trials.plan(); }
const space::Space& Study::space() const { return impl_->space(); }
std::vector<space::Values> Study::asked() const { return impl_->asked(); }
bool Study::can_be_retried(trial::TrialId id) const { return !impl_->is_closed(id); }
std::optional<trial::TrialId> Study::best() const { return impl_->ranking.best(); }
std::vector<trial::TrialId> Study::front() const { return impl_->ranking.front(); }
std::int64_t Study::pending() const { return impl_->clock.unfinished(); }

}  // namespace dlrun::study
