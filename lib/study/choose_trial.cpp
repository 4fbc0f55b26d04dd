// SPDX-License-Identifier: Apache-2.0
#include "study/choose_trial.hpp"

#include "study/draft.hpp"

namespace dlrun::study {

namespace {

void start_proposal(const State& s, Decision& d, Proposal proposal) {
  d.values = std::move(proposal.values);
  d.reason = std::move(proposal.reason);
  set_start(s, d, s.pruner->first_rung());
}

/// Values of a donor and of its heirs so far. Heirs of one rung follow one another.
std::vector<space::Values> siblings(const Trials& trials, const pruners::Heir& heir) {
  std::vector<space::Values> values{trials.values(heir.donor)};
  for (std::int64_t i = trials.size() - 1; i >= 0; --i) {
    const Record& record = trials[trial::TrialId(i)];
    if (!record.donor.exists() || record.first != heir.rung + 1) break;
    if (record.donor == heir.donor) values.push_back(trials.values(trial::TrialId(i)));
  }
  return values;
}

}  // namespace

bool choose_asked(State& s, Decision& d) {
  if (s.agenda.points.empty() || !s.pruner->wants_new() || !s.has_epochs_for_new()) return false;
  start_proposal(s, d, s.proposer.complete(s.agenda.points.front(), d.number, s.points()));
  return true;
}

bool choose_heir(const State& s, Decision& d, const pruners::Heir& heir) {
  const Steps steps{s.rungs.epochs_at(heir.rung), s.rungs.epochs_at(heir.rung + 1)};
  if (!s.has_epochs_for(s.trials.plan().count() * steps.count())) return false;
  d.kind = DecisionKind::start;
  d.values = s.explorer->explore(d.number, {heir.donor, s.trials.values(heir.donor)}, siblings(s.trials, heir));
  d.reason = s.explorer->reason().empty() ? heir.reason : heir.reason + "; " + s.explorer->reason();
  d.key = {s.trials.plan().at(trial::TrialId(s.trials.size()), 0), 0};
  d.donor = trial::PieceKey{{heir.donor}, s.trials[heir.donor].pieces - 1};
  set_steps(s, d, steps);
  return true;
}

bool choose_new(State& s, Decision& d) {
  s.proposer.forget_promise();
  const auto& limits = s.rules.limits;
  if (limits.trials && s.trials.size() >= *limits.trials) return false;
  if (!s.pruner->wants_new() || !s.has_epochs_for_new()) return false;
  auto proposal = s.proposer.propose(d.number, limits.improvement);
  if (proposal) start_proposal(s, d, std::move(*proposal));
  return proposal.has_value();
}

}  // namespace dlrun::study
