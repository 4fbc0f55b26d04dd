// SPDX-License-Identifier: Apache-2.0
#include "study/view.hpp"

#include "study/interval.hpp"

namespace dlrun::study {

namespace {

void view_measured(const State& s, TrialView& view) {
  const auto extras = s.trials.extras(view.id);
  view.objective_step = s.trials[view.id].objective_step;
  view.further.assign(extras.begin(), extras.begin() + static_cast<std::ptrdiff_t>(s.rules.further.size()));
  if (!s.rules.bounds.empty()) view.violation = s.ranking.score_of(view.id).violation;
  if (s.trials.plan().count() > 1) view.interval = interval(s.trials.objectives(view.id));
}

}  // namespace

TrialView view_of(const State& s, trial::TrialId id) {
  const Record& record = s.trials[id];
  TrialView view;
  view.id = id;
  view.state = record.state;
  view.values = s.trials.values(id);
  view.steps = record.steps;
  view.attempts = record.attempts;
  view.cause = record.cause;
  if (record.donor.exists()) view.donor = trial::PieceKey{{record.donor}, record.donor_piece};
  if (record.state != trial::TrialState::failed) view.objective = record.value();
  if (view.objective) view_measured(s, view);
  return view;
}

void report_change(const State& s, trial::TrialId id, const std::string& message, Output& out) {
  const TrialView v = view_of(s, id);
  out.effects.push_back(TrialChanged{id, v.state, v.objective, v.steps, v.cause, message, v.objective_step, v.further,
                                     v.violation, v.interval});
}

}  // namespace dlrun::study
