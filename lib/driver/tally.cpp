// SPDX-License-Identifier: Apache-2.0
#include "driver/tally.hpp"

namespace dlrun::driver {

void Tally::count(const study::Study& study) {
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    change(trial::TrialId(i), study.trial(trial::TrialId(i)).state);
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

std::int64_t Tally::final() const {
  using trial::TrialState;
  return in(TrialState::completed) + in(TrialState::pruned) + in(TrialState::failed) + in(TrialState::cancelled);
}

}  // namespace dlrun::driver
