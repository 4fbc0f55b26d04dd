// SPDX-License-Identifier: Apache-2.0
#include "study/amend.hpp"

#include "space/carry.hpp"
#include "study/ending.hpp"

namespace dlrun::study {

using trial::TrialState;

namespace {

void widen_space(State& s, const Amendment& to) {
  s.trials.widen(to.space.size(),
                 [&](space::Values values) { return space::widened(to.space, std::move(values), to.defaults); });
  s.proposer.widen(to.space.size());
  s.agenda.widen(to.space.size());
  s.space = to.space;
}

void replace_rules(State& s, const Rules& rules) {
  const bool arrival = s.rules.arrival;
  s.rules = rules;
  s.rules.arrival = arrival;  // never changes
  if (s.rules.limits.trials) *s.rules.limits.trials += s.agenda.enqueued;
  s.failures.allow(s.rules.retries);
}

/// Trials that an earlier end of the search left at a rung have lost their checkpoints, so they never continue.
void release_left_behind(State& s) {
  for (std::int64_t i = 0; i < s.trials.size(); ++i) {
    const trial::TrialId id(i);
    const Record& record = s.trials[id];
    const bool is_short = s.rungs.has(record.rung_after(record.pieces));
    const bool has_ended = record.state == TrialState::pruned || record.state == TrialState::completed;
    if (is_short && has_ended) s.pruner->on_gone(id);
  }
}

void replace_pruner(State& s, const pruners::PrunerOptions& options, Output& out) {
  end_paused(
      s, [](trial::TrialId) { return "the amended pruner begins anew"; }, out);
  s.pruner = pruners::make_pruner(options);
  s.rungs = Rungs(s.pruner->rungs(), s.rules.epochs);
  s.explorer = samplers::make_explorer(s.space, s.rules.explorer, s.rules.seed);
  s.closed_before = trial::TrialId(s.trials.size());
}

std::unique_ptr<samplers::Sampler> new_sampler(const State& s, const Amendment& to) {
  if (to.make_sampler) return to.make_sampler(s.space, s.rules.seed);
  return samplers::make_sampler(*to.sampler, s.space, s.rules.seed);
}

/// Limits may have changed, so visible results are compared with them again.
void compare_with_limits(State& s) {
  s.progress.recount();
  for (std::int64_t i = 0; i < s.trials.size() && !s.progress.has_met_target(); ++i) {
    const trial::TrialId id(i);
    const Record& record = s.trials[id];
    const bool counts = record.value() && record.state != TrialState::failed && record.state != TrialState::cancelled;
    if (counts && s.ranking.meets_target(id)) s.progress.meet_target(id);
  }
  s.proposer.forget_promise();
}

}  // namespace

void amend(State& s, Tick at, Output& out) {
  const std::shared_ptr<const Amendment> to = s.agenda.amendments.front().to;
  s.agenda.amendments.pop_front();
  widen_space(s, *to);
  replace_rules(s, to->rules);
  release_left_behind(s);
  if (to->pruner) replace_pruner(s, *to->pruner, out);
  if (to->sampler) s.proposer.replace(new_sampler(s, *to), s.points());
  s.clock.restart(s.rules.lanes, s.rules.slack, s.rules.stride, at);
  compare_with_limits(s);
}

}  // namespace dlrun::study
