// SPDX-License-Identifier: Apache-2.0
// The trials of one earlier study, ranked among themselves.
#pragma once
#include <vector>

#include "samplers/history.hpp"

namespace dlrun::samplers {

/// A history of them alone; its numbers are their places in `trials`.
inline History history_of(const space::Space& space, const std::vector<Observation>& trials) {
  History history(space);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Observation own = trials[i];
    own.trial = trial::TrialId(static_cast<std::int64_t>(i));
    history.on_start(own.trial, own.values);
    history.on_result(own);
  }
  return history;
}

}  // namespace dlrun::samplers
