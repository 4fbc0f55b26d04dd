// SPDX-License-Identifier: Apache-2.0
// An amendment takes effect: nothing is pending, all that was decided is visible.
#include <algorithm>

#include "space/carry.hpp"
#include "study/impl.hpp"
#include "util/error.hpp"

namespace dlrun::study {

using trial::TrialState;

void Study::Impl::take(const Amended& event, Output&) {
  if (!event.to) throw Error(ErrorKind::store, "an amendment of the study has no spec");
  agenda_.amendments.push_back(event);
  stage.reopen();
}

void Study::Impl::amend(const Decision& d, Output& out) {
  const std::shared_ptr<const Amendment> to = agenda_.amendments.front().to;
  agenda_.amendments.pop_front();
  const auto widened = [&](space::Values values) { return space::widened(to->space, std::move(values), to->defaults); };
  trials.widen(to->space.size(), widened);
  proposer_.widen(to->space.size());
  agenda_.widen(to->space.size());
  space_ = to->space;
  const bool arrival = rules_.arrival;
  rules_ = to->rules;
  rules_.arrival = arrival;  // never changes
  if (rules_.limits.trials) *rules_.limits.trials += agenda_.enqueued;
  failures_.allow(rules_.retries);
  release_left_behind();
  if (to->pruner) renew_pruner(*to->pruner, out);
  if (to->sampler) proposer_.replace(samplers::make_sampler(*to->sampler, space_, rules_.seed), points());
  clock.restart(rules_.lanes, rules_.slack, rules_.stride, d.at);
  recount();
}

/// What the end of the search left at a rung has lost its checkpoint.
void Study::Impl::release_left_behind() {
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const trial::TrialId id(i);
    const bool is_short = rungs_.has(trials[id].rung_after(trials[id].pieces));
    const TrialState state = trials[id].state;
    if (is_short && (state == TrialState::pruned || state == TrialState::completed)) pruner_->on_gone(id);
  }
}

void Study::Impl::renew_pruner(const pruners::PrunerOptions& options, Output& out) {
  end_paused([](trial::TrialId) { return "the amended pruner begins anew"; }, out);
  pruner_ = pruners::make_pruner(options);
  rungs_ = Rungs(pruner_->rungs(), rules_.epochs);
  explorer_ = samplers::make_explorer(space_, rules_.explorer, rules_.seed);
  closed_before_ = trial::TrialId(trials.size());
}

/// What depends on the limits.
void Study::Impl::recount() {
  progress_.recount();
  for (std::int64_t i = 0; i < trials.size() && !progress_.has_met_target(); ++i) {
    const Record& record = trials[trial::TrialId(i)];
    const bool counts = record.value() && record.state != TrialState::failed && record.state != TrialState::cancelled;
    if (counts && ranking.meets_target(trial::TrialId(i))) progress_.meet_target(trial::TrialId(i));
  }
  proposer_.forget_promise();
}

}  // namespace dlrun::study
