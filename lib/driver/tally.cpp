// SPDX-License-Identifier: Apache-2.0
#include "driver/tally.hpp"

namespace dlrun::driver {

void Tally::count(const study::Study& study) {
  members_ = study.members();
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const trial::TrialId trial(i);
    change(trial, study.trial(trial).state);
    for (int m = 0; m < members_.count(); ++m) advance(members_.at(trial, m), study.steps_of(members_.at(trial, m)));
  }
}

void Tally::change(trial::TrialId trial, trial::TrialState state) {
  const auto index = static_cast<std::size_t>(trial.value);
  while (states_.size() <= index) {
    states_.push_back(static_cast<std::uint8_t>(trial::TrialState::waiting));
    ++counts_[static_cast<std::size_t>(trial::TrialState::waiting)];
  }
  --counts_[states_[index]];
  states_[index] = static_cast<std::uint8_t>(state);
  ++counts_[states_[index]];
}

void Tally::advance(const trial::Member& member, std::int64_t epochs) {
  if (!members_.has(member)) return;
  const auto index = static_cast<std::size_t>(member.trial.value * members_.count() + members_.index_of(member));
  if (steps_.size() <= index) steps_.resize(index + 1);
  if (epochs <= steps_[index]) return;
  epochs_ += epochs - steps_[index];
  steps_[index] = static_cast<std::int32_t>(epochs);
}

std::int64_t Tally::final() const {
  using trial::TrialState;
  return in(TrialState::completed) + in(TrialState::pruned) + in(TrialState::failed) + in(TrialState::cancelled);
}

}  // namespace dlrun::driver
